/**
 * `npm run generate`: makes the checked-in files that follow from others: the protocol's code, the schema that all
 * migrations make together, the description of the API. `--check` changes nothing and fails naming what is stale.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname } from "node:path";
import { openApi } from "./generate/openapi.ts";
import { protocolCode } from "./generate/protocol-code.ts";
import { databaseSchema } from "./generate/schema.ts";
import { type Made, staleFiles } from "./generate/stale.ts";

/** Folders in which nothing but made files may lie. */
const WHOLE_FOLDERS = ["core/protocol/gen"];

async function main(args: readonly string[]) {
  const parts = await Promise.all([protocolCode(), databaseSchema(), openApi()]);
  const made: Made = new Map(parts.flatMap((part) => [...part]));
  const stale = staleFiles(made, readPresent([...made.keys()]));
  if (args.includes("--check")) {
    for (const { file, why } of stale) console.log(`${file}: ${why}; run: npm run generate`);
    process.exitCode = stale.length > 0 ? 1 : 0;
    return;
  }
  for (const { file } of stale) {
    write(file, made.get(file));
    console.log(file);
  }
}

function readPresent(files: readonly string[]): Made {
  const folders = WHOLE_FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.*`));
  const present = globSync([...files, ...folders]);
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
