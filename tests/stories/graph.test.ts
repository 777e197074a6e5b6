import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { openBench } from "../harness/bench.ts";
import { openShop, type Shop } from "../harness/shop.ts";

/** What a workflow can say about its steps, done by the real agent: bodies, order, conditions, fan-outs, runs within runs, cleanup. */
const bench = openBench(afterAll);
let shop: Shop;
let asked: string[];
let url: string;

beforeAll(async () => {
  shop = await openShop(bench);
  asked = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "content-type": "application/json" }).end('{"price":7}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  bench.keep({ end: () => void server.close() });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

const states = (steps: Record<string, { state: string }>) =>
  Object.fromEntries(Object.entries(steps).map(([name, { state }]) => [name, state]));

test(
  "shell, python and http steps hand their outputs on, with their types, and the run gives its own",
  needs("python"),
  async () => {
    await shop.workflow("order", {
      inputs: { pieces: { type: "integer", required: true } },
      steps: [
        { name: "ask", http: { method: "GET", url: `${url}/price`, allowPrivate: true } },
        {
          name: "count",
          python:
            "import json, os\njson.dump({'total': int(os.environ['PIECES']) * int(os.environ['PRICE'])}, open(os.environ['REEVE_OUTPUTS'], 'w'))",
          env: { PIECES: "${{ inputs.pieces }}", PRICE: "${{ steps.ask.outputs.body.price }}" },
        },
        { name: "say", run: 'echo "total=${{ steps.count.outputs.total }} in $REEVE_SCOPE"' },
      ],
      outputs: { total: "${{ steps.count.outputs.total }}" },
    });
    expect(await shop.refused(["run", "order"])).toContain("/inputs/pieces: is required");
    expect(await shop.refused(["run", "order", "-i", "pieces=1.5"])).toContain("/inputs/pieces");
    const id = await shop.begin("order", "-i", "pieces=6");
    const run = await shop.ended(id);
    expect(run, JSON.stringify(run)).toMatchObject({ state: "succeeded", outputs: { total: 42 } });
    expect(asked).toEqual(["GET /price"]);
    expect(await shop.done(["logs", id, "say", "-f"])).toContain("total=42 in acme/shop");
  },
);

test("an http step asks a private address only where it says so", async () => {
  await shop.workflow("inside", { steps: [{ name: "ask", http: { url } }] });
  const run = await shop.ended(await shop.begin("inside"));
  expect(run).toMatchObject({
    state: "failed",
    steps: { ask: { why: expect.stringContaining("allowPrivate") } },
  });
});

test("rules and conditions decide what is done, and cleanup is done whatever happened", async () => {
  await shop.workflow("rules", {
    inputs: { loud: { type: "boolean", default: false } },
    steps: [
      { name: "good", needs: [], run: "true" },
      { name: "bad", needs: [], run: "exit 3", mayFail: true },
      { name: "all", needs: ["good", "bad"], run: "true" },
      { name: "any", needs: ["good", "bad"], rule: "any-succeeded", run: "true" },
      { name: "alarm", needs: ["good", "bad"], rule: "any-failed", run: "true" },
      { name: "always", needs: ["good", "bad"], rule: "all-done", run: "true" },
      { name: "loud", needs: [], when: "${{ inputs.loud }}", run: "true" },
      { name: "worse", needs: ["always"], run: "exit 4" },
      { name: "tidy", cleanup: true, run: 'echo "after ${{ steps.worse.state }}"' },
    ],
  });
  const quiet = await shop.ended(await shop.begin("rules"));
  expect(quiet.state).toBe("failed");
  expect(states(quiet.steps)).toEqual({
    ...{ good: "succeeded", bad: "failed", all: "skipped", any: "succeeded", alarm: "succeeded" },
    ...{ always: "succeeded", loud: "skipped", worse: "failed", tidy: "succeeded" },
  });
  expect(await shop.done(["logs", quiet.id, "tidy", "-f"])).toContain("after failed");
  const loud = await shop.ended(await shop.begin("rules", "-i", "loud=true"));
  expect(loud.steps.loud.state).toBe("succeeded");
});

test("cleanup is done after a cancellation too", async () => {
  await shop.workflow("slow", {
    steps: [
      { name: "sleep", run: "sleep 600" },
      { name: "tidy", cleanup: true, run: "echo tidied" },
    ],
  });
  const id = await shop.begin("slow");
  await expect.poll(async () => (await shop.run(id)).steps.sleep?.state).toBe("running");
  await shop.done(["cancel", id.slice(-8), "--why", "enough"]);
  const run = await shop.ended(id);
  expect([run.state, run.why]).toEqual(["cancelled", expect.stringContaining("enough")]);
  expect(states(run.steps)).toEqual({ sleep: "cancelled", tidy: "succeeded" });
});

test("a fan-out over what a step gave, in runs of another workflow, two at once, gathered again", async () => {
  const marks = join(bench.folder(), "marks");
  await shop.workflow("double", {
    inputs: { n: { type: "integer", required: true } },
    steps: [
      {
        name: "calc",
        run: `echo 1 >> ${marks}; sleep 0.3
echo "twice=$(( \${{ inputs.n }} * 2 ))" >> "$REEVE_OUTPUTS"; echo -1 >> ${marks}`,
      },
    ],
    outputs: { twice: "${{ int(steps.calc.outputs.twice) }}" },
  });
  await shop.workflow("sum", {
    steps: [
      { name: "list", run: `echo '{"numbers": [1, 2, 3, 4]}' > "$REEVE_OUTPUTS"` },
      {
        name: "each",
        each: "${{ steps.list.outputs.numbers }}",
        atOnce: 2,
        workflow: { name: "double", inputs: { n: "${{ item }}" } },
      },
    ],
    outputs: { all: "${{ steps.each.outputs.map(o, o.twice) }}" },
  });
  const id = await shop.begin("sum");
  const run = await shop.ended(id);
  expect(run, JSON.stringify(run)).toMatchObject({ state: "succeeded", outputs: { all: [2, 4, 6, 8] } });
  expect(await shop.done(["runs", "show", id.slice(-8)])).toMatch(/✓ each +4\/4/);
  const { child } = run.steps["each[2]"];
  expect(await shop.run(child)).toMatchObject({ cause: "run", parent: { run: id }, inputs: { n: 3 } });
  let underWay = 0;
  const counts = readFileSync(marks, "utf8")
    .trim()
    .split("\n")
    .map((mark) => (underWay += Number(mark)));
  expect(counts).toHaveLength(8);
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
});

test("a bare script and a program in TypeScript run like any other workflow", async () => {
  shop.write("hello.sh", "#!/bin/sh\necho hello from a file\n");
  shop.write(
    "pair.workflow.ts",
    `import { defineWorkflow } from "@reeve/sdk/kinds";
     const names: string[] = ["left", "right"];
     export default defineWorkflow({
       name: "pair",
       spec: { steps: names.map((name) => ({ name, needs: [], run: \`echo \${name} hand\` })) },
     });`,
  );
  await shop.done(["apply", "-f", "hello.sh", "-f", "pair.workflow.ts"]);
  const hello = await shop.begin("hello", "--wait");
  expect(await shop.done(["logs", hello.split(/\s+/).at(1) ?? "", "-f"])).toContain("hello from a file");
  const pair = await shop.ended(await shop.begin("pair"));
  expect(pair.state).toBe("succeeded");
  const logs = await shop.done(["logs", pair.id, "-f"]);
  for (const hand of ["left hand", "right hand"]) expect(logs).toContain(hand);
});
