/**
 * `npm run generate`: makes the checked-in files that follow from others: the protocol's code, the schema that all
 * migrations make together, the description of the API. `--check` changes nothing and fails naming what is stale.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname } from "node:path";
import { protocolCode } from "./generate/protocol-code.ts";
import { databaseSchema } from "./generate/schema.ts";
import { type Made, staleFiles } from "./generate/stale.ts";

/** Folders in which nothing but made files may lie. */
const WHOLE_FOLDERS = ["core/protocol/gen"];

async function main(args: readonly string[]) {
  const check = args.includes("--check");
  const first = settle(
    new Map((await Promise.all([protocolCode(), databaseSchema()])).flatMap((part) => [...part])),
    check,
  );
  if (!first) return;
  // Only now: the API's description comes from the server's own code, which does not load with stale protocol code.
  const { openApi } = await import("./generate/openapi.ts");
  settle(await openApi(), check);
}

/** Writes what differs, or only says so. False when something stays stale. */
function settle(made: Made, check: boolean): boolean {
  const stale = staleFiles(made, readPresent([...made.keys()]));
  for (const { file, why } of stale) {
    if (!check) write(file, made.get(file));
    console.log(check ? `${file}: ${why}; run: npm run generate` : file);
  }
  if (!check || stale.length === 0) return true;
  process.exitCode = 1;
  return false;
}

function readPresent(files: readonly string[]): Made {
  const whole = WHOLE_FOLDERS.filter((folder) => files.some((file) => file.startsWith(`${folder}/`)));
  const present = globSync([...files, ...whole.map((folder) => `${folder}/**/*.*`)]);
  return new Map([...new Set(present)].map((file) => [file, readFileSync(file, "utf8")]));
}

function write(file: string, text: string | undefined) {
  if (text === undefined) return rmSync(file);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

// Leaving by exit() lets the parts clear away what they have started.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]));

await main(process.argv.slice(2));
