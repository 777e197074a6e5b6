import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readDefinitions } from "./read.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-definitions-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, "etl.workflow.ts");
  writeFileSync(path, text);
  return path;
}

const head = `import { defineWorkflow } from "@reeve/sdk/kinds";\n`;

test("a definition is a program: types, loops and files beside it; what it prints is not the answer", async () => {
  writeFileSync(join(folder, "tables.ts"), `export const tables: readonly string[] = ["a", "b"];`);
  const path = file(`${head}import { tables } from "./tables.ts";
    console.log("[]");
    process.stdout.write("[1]\\n");
    const steps = tables.map((table: string) => ({ name: table, run: \`load \${table}\`, needs: [] }));
    export default [defineWorkflow({ name: "etl", labels: { team: "data" }, spec: { steps } })];`);
  expect(await readDefinitions(path)).toEqual([
    {
      apiVersion: "reeve/v1",
      kind: "Workflow",
      metadata: { name: "etl", labels: { team: "data" } },
      spec: {
        steps: [
          { name: "a", run: "load a", needs: [] },
          { name: "b", run: "load b", needs: [] },
        ],
      },
    },
  ]);
});

test.each([
  [
    "writes a file",
    `import { writeFileSync } from "node:fs"; writeFileSync("/tmp/x", "x"); export default 1;`,
    "restricted",
  ],
  [
    "reads outside of its folder",
    `import { readFileSync } from "node:fs"; export default readFileSync("/etc/passwd", "utf8");`,
    "restricted",
  ],
  [
    "starts a process",
    `import { execFileSync } from "node:child_process"; export default 1;`,
    "cannot use node:child_process",
  ],
  ["opens the network", `import net from "net"; export default 1;`, "cannot use node:net"],
  ["requires the network", `const net = require("net"); module.exports = 1;`, "cannot use node:net"],
  ["calls out", `export default await fetch("http://127.0.0.1:1/");`, "fetch is not"],
  ["looks behind the modules", `export default process.getBuiltinModule("net");`, "not a function"],
  ["knows our environment", `export default { name: process.env.HOME ?? "none", spec: {} };`, undefined],
  ["exports nothing", `export const a = 1;`, "no default export"],
  ["exports something else", `export default 5;`, "no workflow"],
  [
    "exports a function inside",
    `export default { name: "x", spec: { steps: [{ name: "a", run: () => 1 }] } };`,
    "run is a function",
  ],
  ["is no program", `export default {`, "SyntaxError"],
  ["throws", `throw new Error("boom");`, "etl.workflow.ts:1: Error: boom"],
])("one that %s", async (_, text, why) => {
  const read = readDefinitions(file(text));
  if (why === undefined) expect(await read).toMatchObject([{ metadata: { name: "none" } }]);
  else await expect(read).rejects.toThrow(why);
});

test("one that never ends is stopped", async () => {
  await expect(readDefinitions(file("while (true) {}"), 2000)).rejects.toThrow("it was stopped after 2 s");
});
