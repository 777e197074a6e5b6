import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { defineVerb } from "@reeve/sdk/cli";
import { serverEnvironment } from "../config.ts";
import type { CliDesk } from "../desk.ts";

export const server = defineVerb<CliDesk>()({
  name: "server",
  group: "server",
  summary: "Start the server; its own flags follow",
  args: [{ name: "ARGUMENT", optional: true, many: true }],
  example: "reeve server --help",
  run: (_desk, { args }) => startServer(args),
});

/** Runs the server in our place: it gets our signals, we end as it ends. */
export async function startServer(args: readonly string[]): Promise<number> {
  const main = fileURLToPath(import.meta.resolve("@reeve/server/main"));
  const child = spawn(process.execPath, ["--max-semi-space-size=8", main, ...args], {
    env: serverEnvironment(),
    stdio: "inherit",
  });
  process.removeAllListeners("SIGINT");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole group; a second one would tell the server to stop at once.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
