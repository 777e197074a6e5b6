import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../core/store/testing.ts";
import { setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { bareEnvironment, root, run } from "../harness/processes.ts";
import { startServer } from "../harness/server-process.ts";

const page = readFileSync(join(root, "docs", "reference", "sdk.md"), "utf8");

function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page) ?? [];
  if (text === undefined) throw new Error(`the page has no block of ${language}`);
  return text;
}

test("the tour of the SDK's page, in a folder linked as it says, compiles and prints what it says", async () => {
  const bench = openBench(onTestFinished);
  const folder = bench.folder();
  const server = await startServer(bench, { settings: { REEVE_DATABASE_URL: (await testDatabase()).url } });
  const { token } = await setUp(server.url, server.setupLink);
  writeFileSync(join(folder, "tour.mts"), block("ts"));
  writeFileSync(join(folder, "tsconfig.json"), block("json"));
  writeFileSync(join(folder, "token.txt"), token ?? "");
  const sh = async (line: string) => {
    const running = run("sh", ["-c", line], { cwd: folder, env: bareEnvironment });
    const { code } = await running.ended;
    expect({ code, stderr: running.stderr() }, line).toEqual({ code: 0, stderr: "" });
    return running.stdout();
  };
  const told = block("sh")
    .replaceAll("/path/to/reeve/node_modules/.bin/node", process.execPath)
    .replaceAll("/path/to/reeve", root)
    .replaceAll("http://localhost:8080", server.url);
  expect(await sh(told)).toBe(block("text"));
  // Its types are looked for where the clone has them: a program of one's own has @types/node itself.
  const types = join(root, "node_modules", "@types");
  await sh(
    `PATH="${dirname(process.execPath)}:$PATH" "${root}/node_modules/.bin/tsc" --types node --typeRoots "${types}"`,
  );
});
