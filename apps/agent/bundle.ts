/**
 * Writes the agent as it is installed on hosts, without a clone: `node apps/agent/bundle.ts FOLDER`. A few files, because what
 * the agent starts beside itself must be files of their own: the spawner stays small by not loading the rest.
 */
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const attempts = here("../../core/agent/attempts");

async function bundle(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const build = await rolldown({
    input: { "reeve-agent": here("main.ts"), spawner: join(attempts, "spawner.ts") },
    platform: "node",
    // A library's form as modules, of which only what is used stays.
    resolve: { mainFields: ["module", "main"] },
    plugins: [
      {
        name: "files started by their name",
        transform: (code: string) => code.replaceAll('resolve("./spawner.ts")', 'resolve("./spawner.mjs")'),
      },
    ],
  });
  await build.write({ dir: folder, format: "esm", minify: true, entryFileNames: "[name].mjs" });
  for (const script of ["shim.sh", "guard.sh"]) await copyFile(join(attempts, script), join(folder, script));
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("say where: node apps/agent/bundle.ts FOLDER");
await bundle(folder);
