import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { bareEnvironment, root, run } from "../harness/processes.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";

/**
 * What the README says, carried out as it stands there: its file, its commands in their order, with a shell, on a server as
 * `npm start` leaves it. Only what a reader replaces is replaced: the setup link, and RUN.
 */
const bench = openBench(afterAll);
const home = bench.folder();
const readme = readFileSync(join(root, "README.md"), "utf8");
const firstSteps = section("First steps");
let server: ServerProcess;

beforeAll(async () => {
  server = await startServer(bench, { settings: { REEVE_HOME_AGENT: "on" } });
});

test("what the first start prints is what the README shows", () => {
  const [shown = ""] = blocks(section("Start"), "");
  const printed = server
    .stdout()
    .replaceAll(server.url, "http://localhost:8080")
    .replaceAll(/reeve_setup_[\w-]+/g, "reeve_setup_…");
  expect(shown).toContain("Reeve is ready");
  expect(printed).toContain(shown);
});

test("its first steps lead where they say", async () => {
  const [setup = "", commands = ""] = blocks(firstSteps, "sh");
  const [file = ""] = blocks(firstSteps, "yaml");
  const link = /'http:\/\/localhost:8080\/setup#[^']*'/;
  expect(setup).toMatch(link);
  const answers = "--user ada --password-stdin --organization acme";
  await carryOut(`${setup.trim().replace(link, `'${server.setupLink}'`)} ${answers}`, password);
  writeFileSync(join(home, /^# (\S+\.yaml)$/m.exec(file)?.[1] ?? "unnamed"), file);

  const lines = commands.trim().split("\n");
  const said = new Map<string, string>();
  let id = "RUN";
  for (const line of [...lines, ...inline(firstSteps)]) {
    const text = await carryOut(line.replaceAll(/\bRUN\b/g, id));
    said.set(line.split("#")[0]?.trim() ?? "", text);
    if (/^npx reeve runs\b/.test(line)) id = /^\S*?([0-9a-f]{6,})\s/m.exec(text)?.[1] ?? id;
  }
  expect(said.get("npx reeve apply -f hello.yaml")).toMatch(/created/);
  expect(await carryOut("npx reeve apply -f hello.yaml")).toMatch(/^(\S+ unchanged\n)+$/);
  expect(said.get("npx reeve run hello -i name=ada --follow")).toContain("succeeded");
  expect(said.get("npx reeve logs RUN")).toContain("hello ada");
  expect(said.get("npx reeve diff -f hello.yaml")).not.toMatch(/^[+-]/m);
  expect(said.get("npx reeve agent token")).toContain("rjt_");
  expect(lines.length).toBeGreaterThan(5);
});

/** With a shell, in an empty folder; it must succeed. Everything that it says. */
async function carryOut(line: string, stdin = ""): Promise<string> {
  const npx = `npx() { shift; "${process.execPath}" "${join(root, "apps/cli/reeve.mjs")}" "$@"; }`;
  const env = { ...bareEnvironment, HOME: home, TMPDIR: home };
  const running = run("sh", ["-c", `${npx}\n${line}`], { cwd: home, env, stdin });
  const { code } = await running.ended;
  expect({ line, code, stderr: code === 0 ? "" : running.stderr() }).toEqual({ line, code: 0, stderr: "" });
  return running.stdout() + running.stderr();
}

function section(title: string): string {
  const [, text] = new RegExp(`^## ${title}\\n([\\s\\S]*?)^## `, "m").exec(readme) ?? [];
  if (text === undefined) throw new Error(`README.md has no section "${title}"`);
  return text;
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, one]) => one === language)
    .map(([, , content = ""]) => content);
}

/** Commands in the running text. */
function inline(text: string): string[] {
  return [...text.matchAll(/`(npx reeve [^`]+)`/g)].map(([, command = ""]) => command);
}
