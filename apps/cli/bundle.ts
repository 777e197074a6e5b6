/**
 * Writes the command line as one file: `node apps/cli/bundle.ts FOLDER`. Prints the files it was made of. One, so that a command that
 * has run for days still has what it loads late; not minified, because a file that is read from disk need not be small.
 */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

async function bundle(folder: string): Promise<string[]> {
  const build = await rolldown({
    input: { reeve: fileURLToPath(new URL("main.ts", import.meta.url)) },
    platform: "node",
    plugins: [
      {
        name: "files find what stands beside them",
        transform(code: string, id: string) {
          const before = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`;
          return code.replaceAll("import.meta.url", before);
        },
      },
    ],
  });
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    codeSplitting: false,
    entryFileNames: "[name].mjs",
  });
  const made = output.flatMap((one) => (one.type === "chunk" ? one.moduleIds : []));
  return made.filter((file) => existsSync(file));
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("say where: node apps/cli/bundle.ts FOLDER");
process.stdout.write(`${(await bundle(folder)).join("\n")}\n`);
