import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Workflow } from "@reeve/workflows/kinds";
import { zipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBench } from "../harness/bench.ts";
import { openShop, type Shop } from "../harness/shop.ts";

/** docs/workflows.md, carried out by the real command line against the real server: definitions in every form, and what begins runs. */
const bench = openBench(afterAll);
let shop: Shop;

beforeAll(async () => {
  shop = await openShop(bench, { REEVE_HOME_AGENT: "off" });
});

const workflow = (spec: string) => `apiVersion: reeve/v1
kind: Workflow
metadata: { name: nightly }
spec:
${spec}`;

test("a wrong workflow is refused at its lines and columns, all at once, and nothing is recorded", async () => {
  shop.write(
    "nightly.yaml",
    workflow(`  steps:
    - name: extract
      run: echo \${{ inputs.day }}
    - name: load
      needs: [extract, transform]
      wait: 5x
`),
  );
  const first = await shop.reeve(["apply", "-f", "nightly.yaml"]);
  expect(first.code).not.toBe(0);
  expect(first.stderr).toContain("nightly.yaml:10:7: /spec/steps/1/wait: write a number with a unit");
  shop.write(
    "nightly.yaml",
    workflow("  steps:\n    - name: a\n      run: echo ${{ inputs.day }}\n      needs: [b]\n"),
  );
  const { stderr } = await shop.reeve(["apply", "-f", "nightly.yaml"]);
  expect(stderr).toContain("nightly.yaml:8:15: /spec/steps/0/needs/0: there is no step b");
  expect(stderr).toContain("nightly.yaml:7:7: /spec/steps/0/run: there is no input day");
  shop.write(
    "nightly.yaml",
    workflow(`  steps:
    - { name: hen, needs: [egg], run: cluck }
    - { name: egg, needs: [hen], run: "" }
    - { name: nothing }
`),
  );
  const empty = await shop.reeve(["apply", "-f", "nightly.yaml"]);
  expect(empty.stderr).toContain("nightly.yaml:7:34: /spec/steps/1/run: is empty");
  expect(empty.stderr).toContain("nightly.yaml:8:7: /spec/steps/2: says nothing to do");
  shop.write(
    "nightly.yaml",
    workflow("  steps: [{ name: hen, needs: [egg], run: cluck }, { name: egg, needs: [hen], run: crack }]\n"),
  );
  const circle = await shop.reeve(["apply", "-f", "nightly.yaml"]);
  expect(circle.stderr).toMatch(/nightly\.yaml:5:\d+: .*circle/);
  expect((await shop.reeve(["get", "workflow/nightly"])).code).not.toBe(0);
});

test("a script, a program and the kind's own example are workflows", async () => {
  shop.write("hello.sh", "#!/bin/sh\necho hello\n");
  shop.write(
    "etl.workflow.ts",
    `import { defineWorkflow } from "@reeve/sdk/kinds";
     const tables: string[] = ["a", "b"];
     export default defineWorkflow({ name: "etl", spec: { steps: tables.map((name) => ({ name, needs: [], run: "x" })) } });`,
  );
  expect(await shop.done(["apply", "-f", "hello.sh", "-f", "etl.workflow.ts"])).toMatch(
    /hello created\n.*etl created/,
  );
  shop.write("greet.yaml", Workflow.example);
  expect(await shop.done(["apply", "-f", "greet.yaml"])).toContain("greet created");
  expect(await shop.done(["explain", "workflow.steps"])).toMatch(/each +list of JSON or text/);
  expect(await shop.done(["get", "workflows", "-o", "name"])).toMatch(/etl[\s\S]*hello/);
  expect(await shop.done(["apply", "-f", "hello.sh"])).toContain("unchanged");
});

test("an archive is applied file by file: good ones are there, each bad one is named with its file, and scripts can tell", async () => {
  const named = (name: string, spec: string) => workflow(spec).replace("nightly", name);
  const files = {
    "team/a.yaml": named("packed", "  steps: [{ name: nap, wait: 1h }]\n"),
    "team/b.yaml": "kind: [\n",
    "team/c.yaml": named("dangling", "  steps: [{ name: a, needs: [b], run: x }]\n"),
    "team/d.yaml": named("packed-too", "  steps: [{ name: nap, wait: 1h }]\n"),
    "readme.txt": "left alone",
  };
  const bytes = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));
  writeFileSync(join(shop.reeve.home, "bundle.zip"), zipSync(bytes));
  const applied = await shop.reeve(["apply", "-f", "bundle.zip"]);
  expect(applied).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/packed created\n.*packed-too created\n$/),
  });
  expect(applied.stderr).toMatch(/bundle\.zip\/team\/b\.yaml:\d+:\d+: /);
  expect(applied.stderr).toContain("bundle.zip/team/c.yaml:5:30: /spec/steps/0/needs/0: there is no step b");
  expect(applied.stderr).not.toContain("readme");
  expect(await shop.done(["get", "workflow/packed", "workflow/packed-too", "-o", "name"])).toMatch(
    /packed\n.*packed-too\n/,
  );
  expect((await shop.reeve(["get", "workflow/dangling"])).code).toBe(5);

  for (const bad of ["team/b.yaml", "team/c.yaml"]) delete bytes[bad];
  for (const [name, content] of Object.entries(bytes)) {
    mkdirSync(join(shop.reeve.home, "bundle", dirname(name)), { recursive: true });
    writeFileSync(join(shop.reeve.home, "bundle", name), content);
  }
  expect(spawnSync("tar", ["-czf", "bundle.tar.gz", "bundle"], { cwd: shop.reeve.home }).status).toBe(0);
  expect(await shop.done(["apply", "-f", "bundle.tar.gz"])).toMatch(
    /packed unchanged\n.*packed-too unchanged\n/,
  );
  writeFileSync(join(shop.reeve.home, "bundle.zip"), zipSync(bytes).subarray(0, 100));
  expect(await shop.reeve(["apply", "-f", "bundle.zip"])).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(/bundle\.zip cannot be read[\s\S]*nothing was sent/),
  });
});

test("runs are begun with typed inputs, pinned to their generation; a rollback brings the earlier definition back", async () => {
  shop.write(
    "nightly.yaml",
    workflow("  inputs: { day: { pattern: '\\d+' , required: true } }\n  steps: [{ name: nap, wait: 1h }]\n"),
  );
  await shop.done(["apply", "-f", "nightly.yaml"]);
  const wrong = await shop.reeve(["act", "workflow/nightly", "trigger", "-i", 'inputs={"day":"x"}']);
  expect([wrong.code === 0, wrong.stderr]).toEqual([
    false,
    expect.stringContaining("/inputs/day: must match \\d+"),
  ]);
  expect(await shop.done(["act", "workflow/nightly", "trigger", "-i", 'inputs={"day":"1"}'])).toContain(
    '"run":',
  );
  shop.write("nightly.yaml", workflow("  steps: [{ name: nap, wait: 2h }]\n"));
  const difference = await shop.reeve(["diff", "-f", "nightly.yaml"]);
  expect([difference.code, difference.stdout]).toEqual([1, expect.stringMatching(/-.*1h[\s\S]*\+.*2h/)]);
  await shop.done(["apply", "-f", "nightly.yaml"]);
  await shop.done(["act", "workflow/nightly", "trigger"]);
  await shop.done(["rollback", "workflow/nightly", "--to", "1"]);
  expect(await shop.done(["history", "workflow/nightly"])).toMatch(/^3 [\s\S]*^2 [\s\S]*^1 /m);
  const [second, first] = (await shop.done(["runs", "nightly", "-o", "name"])).trim().split("\n");
  for (const [run, generation] of [
    [first, 1],
    [second, 2],
  ])
    expect(await shop.done(["runs", "show", String(run).split("/").at(-1) ?? ""])).toContain(
      `generation ${generation};`,
    );
  const again = await shop.reeve(["act", "workflow/nightly", "trigger"]);
  expect(again.stderr).toContain("/inputs/day: is required");
  await shop.done(["pause", "workflow/nightly"]);
  const paused = await shop.reeve(["act", "workflow/nightly", "trigger", "-i", 'inputs={"day":"1"}']);
  expect(paused.stderr).toContain("the workflow is paused");
  await shop.done(["resume", "workflow/nightly"]);
});

test("a signed webhook begins a run, sent with the line of the page", async () => {
  shop.write("hook.yaml", "apiVersion: reeve/v1\nkind: Secret\nmetadata: { name: hook }\nspec: {}\n");
  await shop.done(["apply", "-f", "hook.yaml"]);
  await shop.done(["secret", "set", "hook", "key=hush"]);
  shop.write(
    "nightly.yaml",
    workflow(`  steps: [{ name: nap, wait: 1h }]
  webhooks: [{ name: push, secret: { secretRef: { name: hook, key: key } } }]
`),
  );
  await shop.done(["apply", "-f", "nightly.yaml"]);
  const body = '{"ref":"refs/heads/main"}';
  const t = Math.floor(Date.now() / 1000);
  const post = (key: string) =>
    fetch(`${shop.server.url}/api/v1/hooks/acme/shop/nightly/push`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "reeve-signature": `t=${t},v1=${createHmac("sha256", key).update(`${t}.${body}`).digest("hex")}`,
      },
      body,
    });
  expect((await post("guess")).status).toBe(401);
  expect(await (await post("hush")).json()).toEqual({ run: expect.any(String) });
});
