import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";

/**
 * One process a data folder: two would write one spool. The lock is a name that the kernel frees with the process, so there is
 * never a stale one. Only Linux has such names; elsewhere the control plane's session alone keeps two apart.
 */
export async function lockFolder(folder: string): Promise<void> {
  if (process.platform !== "linux") return;
  const name = createHash("sha256").update(realpathSync(folder)).digest("hex");
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Error(
              `another agent is running in ${folder}; stop it first, or give this one --data of its own`,
            )
          : error,
      ),
    );
    server.listen(`\0reeve-agent-${name}`, resolve);
  });
  server.unref();
}
