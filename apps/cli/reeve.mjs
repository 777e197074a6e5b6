#!/usr/bin/env node
/**
 * Starts the command line under a Node that runs our TypeScript. Plain JavaScript, because it also runs on the machine's own,
 * possibly older, Node. Under a good one it costs no second process.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import os from "node:os";
import { fileURLToPath } from "node:url";
import { bundled } from "../../tools/bundled.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [major, minor] = process.versions.node.split(".").map(Number);

// A server also needs its embedded database completed; any other verb only needs to be installed.
if (process.argv[2] === "server" || !existsSync(`${root}node_modules/commander`)) {
  const { ensureSetup } = await import("../../tools/with-setup.mjs");
  await ensureSetup();
}
if (major > 24 || (major === 24 && minor >= 7)) {
  // One file starts in a third of the time that its 400 modules take.
  const folder = bundled("cli");
  // In the clone, not in /tmp: what is kept there is run, so only its owner may write it.
  module.enableCompileCache(folder === undefined ? `${root}.cache/compiled` : `${folder}/compiled`);
  await import(folder === undefined ? "./main.ts" : `${folder}/reeve.mjs`);
} else await rerun();

/** The same command under the Node among the dependencies: it gets our signals, we end as it ends. */
async function rerun() {
  const { nodeBinary } = await import("../../tools/with-setup.mjs");
  const child = spawn(nodeBinary(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole group already.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on("exit", (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]));
}
