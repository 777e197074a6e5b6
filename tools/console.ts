/**
 * Builds the console into `.cache/console/<hash of its sources>`, unless it is there already, and prints that folder:
 * `node tools/console.ts`. Text files have a `.br` and a `.gz` beside them, so that the server never compresses.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Plugin } from "vite";
import { withLock } from "./setup-lock.mjs";

const root = join(import.meta.dirname, "..");
const cache = join(root, ".cache", "console");
const rooms = "{apps/console,clients/{kit,sdk},core/model,areas/*/{kinds,web}}";
/** A server that still runs may serve an older one. */
const kept = 3;

export async function buildConsole(): Promise<string> {
  const folder = join(cache, sourceHash());
  if (!existsSync(folder))
    await withLock(join(root, ".cache", "console.lock"), async () => {
      if (!existsSync(folder)) await build(folder);
    });
  return folder;
}

function sourceHash(): string {
  const files = globSync(`${rooms}/**/*.{ts,tsx,css,html,svg}`, {
    cwd: root,
    exclude: ["**/node_modules/**"],
  });
  const hash = createHash("sha256");
  for (const file of [
    ...files.filter((one) => !one.includes(".test.")).sort(),
    "package-lock.json",
    "tools/console.ts",
  ])
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

async function build(folder: string): Promise<void> {
  const { build } = await import("vite");
  const half = `${folder}.half`;
  await forProduction(() =>
    build({
      configFile: false,
      root: join(root, "apps/console"),
      logLevel: "warn",
      // The server puts another word in its place with every answer.
      html: { cspNonce: "REEVE-NONCE" },
      plugins: [runsEachAlone],
      build: {
        outDir: half,
        emptyOutDir: true,
        // Nothing inline: the page's policy allows no data in scripts and styles.
        assetsInlineLimit: 0,
        modulePreload: {
          polyfill: false,
          // A page asks for its files one by one, in one task: it need not ask for those it began with.
          resolveDependencies: (_, files, { hostType }) =>
            hostType === "html" ? files : files.filter((file) => !isFirst(file)),
        },
        chunkSizeWarningLimit: 1000,
        // These know `light-dark()`: rewritten for older ones it would follow the system, not the scheme that was chosen.
        cssTarget: ["chrome123", "firefox120", "safari17.5"],
        rolldownOptions: {
          // Libraries mark files for servers that draw pages; here all run in the browser.
          checks: { moduleLevelDirective: false } as object,
          output: { codeSplitting: { groups: [...firstParts, sharedParts] } },
        },
      },
    }),
  );
  await compress(half);
  await mkdir(cache, { recursive: true });
  await rename(half, folder);
  await removeOld(folder);
}

/** What every page begins with, in few files: of each library only that. What else of it some page needs goes with that page. */
const firstParts = [
  { name: "react", test: /node_modules\/(react|react-dom|scheduler)\// },
  { name: "router", test: /node_modules\/@tanstack\// },
  { name: "widgets", test: /node_modules/ },
  { name: "console" },
].map((part) => ({ ...part, tags: ["$initial" as const] }));

/** What `index.html` names. Another that were called so would come all the same, when it is imported. */
const isFirst = (file: string) =>
  /\/(react|router|widgets|console|index|rolldown-runtime)-[^/]*\.js$/.test(file);

/** What so many pages share is one file, and not thirty: to ask for each takes a slow machine 4 ms. */
const sharedParts = { name: "parts", minShareCount: 20 };

/**
 * A part that is only fetched ahead runs together with the script that needs it: one task, in which a slow machine does not answer.
 * An `async` script runs as a task of its own when it and what it needs are there, so the one that needs all comes last. Such
 * scripts do not wait for the rest of the page, and stand at its end.
 */
const runsEachAlone: Plugin = {
  name: "runs-each-alone",
  transformIndexHtml: {
    order: "post",
    handler(page) {
      const tags =
        /<(?:script type="module" crossorigin src|link rel="modulepreload" crossorigin href)=(.*?)>(?:<\/script>)?\n\s*/g;
      const [entry, ...parts] = [...page.matchAll(tags)].map(
        ([, file]) => `  <script type="module" async crossorigin src=${file}></script>\n  `,
      );
      return page.replaceAll(tags, "").replace("</body>", `${[...parts, entry].join("")}</body>`);
    },
  },
};

/** Tests have another NODE_ENV, with which React comes in its large and slow form for developers. */
async function forProduction(work: () => Promise<unknown>): Promise<void> {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

async function compress(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  const texts = files.filter((file) => /\.(js|css|svg)$/.test(file));
  for (const file of texts) {
    const path = join(folder, file);
    const content = await readFile(path);
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(content),
      promisify(gzip)(content, { level: 9 }),
    ]);
    await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
  }
}

async function removeOld(current: string): Promise<void> {
  await utimes(current, new Date(), new Date());
  const folders = await Promise.all(
    (await readdir(cache)).map(async (name) => ({ name, at: (await stat(join(cache, name))).mtimeMs })),
  );
  for (const { name } of folders.sort((a, b) => b.at - a.at).slice(kept))
    await rm(join(cache, name), { recursive: true, force: true });
}

if (import.meta.main) process.stdout.write(`${await buildConsole()}\n`);
