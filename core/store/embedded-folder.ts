import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { environment } from "./embedded-programs.ts";
import { makeOwned, type UnixUser } from "./embedded-user.ts";

/**
 * Made beside its place and moved there whole: neither a start that is killed nor a second one at the same moment can
 * leave a half-made database.
 */
export async function initialise(native: string, folder: string, user: UnixUser | undefined): Promise<void> {
  removeLeftovers(folder);
  const made = `${folder}.new-${process.pid}`;
  if (user === undefined) mkdirSync(made, { mode: 0o700 });
  else makeOwned(made, user);
  const args = [
    ...["-D", made, "-U", "reeve", "--auth=trust", "--encoding=UTF8", "--locale=C"],
    "--no-instructions",
  ];
  const child = spawn(join(native, "bin", "initdb"), args, {
    cwd: made,
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
    env: environment(native),
  });
  const said: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  );
  try {
    if (code !== 0)
      throw new Error(`initdb ended with ${code}: ${Buffer.concat(said).toString().trim().slice(-1000)}`);
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Somebody else was faster: theirs is as good.
    if (!existsSync(join(folder, "PG_VERSION"))) throw error;
  }
}

/** What a start that was killed left beside the database's place. Its initdb may still be writing there: then it stays till next time. */
function removeLeftovers(folder: string): void {
  const prefix = `${basename(folder)}.new-`;
  for (const name of readdirSync(dirname(folder)).filter((one) => one.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length));
    if (pid !== process.pid && isRunning(pid)) continue;
    try {
      rmSync(join(dirname(folder), name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    } catch {
      // Only room is lost; the new database is made in a place of its own.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export function checkVersion(folder: string): void {
  const found = readFileSync(join(folder, "PG_VERSION"), "utf8").trim();
  if (found !== "18")
    throw new Error(
      `${folder} was made by Postgres ${found}, this Reeve brings 18: restore a backup into a new folder`,
    );
}
