import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ConsoleFiles } from "@reeve/control";

interface Build {
  readonly folder: string;
  readonly page: string;
  readonly names: ReadonlySet<string>;
}

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};
const encodings = [
  ["br", "br"],
  ["gzip", "gz"],
] as const;

/** The console as it was built; where it was not, the first who asks waits for it. */
export function openConsoleFiles(): ConsoleFiles {
  let build: Promise<Build> | undefined;
  const built = () => {
    build ??= findBuild().catch((error: unknown) => {
      build = undefined;
      throw error;
    });
    return build;
  };
  return {
    page: async (nonce) => (await built()).page.replaceAll("REEVE-NONCE", nonce),
    async open(name, acceptEncoding) {
      const { folder, names } = await built();
      const contentType = types[name.split(".").at(-1) ?? ""];
      if (contentType === undefined || !names.has(name)) return undefined;
      const accepted = acceptEncoding.split(/[ ,;]+/);
      const [contentEncoding, ending] =
        encodings.find(([word, end]) => accepted.includes(word) && names.has(`${name}.${end}`)) ?? [];
      const file = ending === undefined ? name : `${name}.${ending}`;
      return { contentType, contentEncoding, content: await readFile(join(folder, "assets", file)) };
    },
  };
}

async function findBuild(): Promise<Build> {
  // In a process of its own: the bundler is larger than the server.
  const { stdout } = await run(process.execPath, [join(root, "tools/console.ts")]);
  const folder = stdout.trim();
  return {
    folder,
    page: await readFile(join(folder, "index.html"), "utf8"),
    names: new Set(await readdir(join(folder, "assets"))),
  };
}
