/**
 * Writes the agent as it is installed on hosts, without a clone: `node apps/agent/bundle.ts FOLDER`. A few files, because what
 * the agent starts beside itself, or loads on few hosts, must be files of their own: each stays small by not loading the rest. Prints the files it was
 * made of.
 */
import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const attempts = here("../../core/agent/attempts");

async function bundle(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const build = await rolldown({
    input: { "reeve-agent": here("main.ts"), spawner: join(attempts, "spawner.ts") },
    platform: "node",
    // A library's form as modules, of which only what is used stays.
    resolve: { mainFields: ["module", "main"] },
    transform: { inject: { Headers: [here("headers.ts"), "Headers"] } },
    plugins: [
      {
        // Whoever imports them as modules gets all that they export read, also what loads `fetch`; and there are 3 MB of it.
        name: "http without fetch",
        resolveId: (name: string) => (/^node:https?$/.test(name) ? `\0${name}` : undefined),
        load: (id: string) =>
          /^\0node:https?$/.test(id)
            ? `export const { Agent, request } = process.getBuiltinModule("${id.slice(1)}");`
            : undefined,
      },
      {
        name: "files started by their name",
        transform: (code: string) => code.replaceAll('resolve("./spawner.ts")', 'resolve("./spawner.mjs")'),
      },
    ],
  });
  // Names stay, for whoever reads a stack or a profile.
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
  });
  const scripts = ["shim.sh", "guard.sh"];
  for (const script of scripts) await copyFile(join(attempts, script), join(folder, script));
  const made = output.flatMap((one) => (one.type === "chunk" ? one.moduleIds : []));
  return [...made.filter((file) => existsSync(file)), ...scripts.map((script) => join(attempts, script))];
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("say where: node apps/agent/bundle.ts FOLDER");
process.stdout.write(`${(await bundle(folder)).join("\n")}\n`);
