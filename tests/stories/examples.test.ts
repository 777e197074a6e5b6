import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBench } from "../harness/bench.ts";
import { root } from "../harness/processes.ts";
import { openShop, type Shop } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** examples/README.md, carried out: all of them are applied as they are, and run to their end by the home agent. */
const bench = openBench(afterAll);
let shop: Shop;

const shown = (run: string) => shop.done(["runs", "show", run]);

beforeAll(async () => {
  shop = await openShop(bench);
  await shop.done(["apply", "-f", join(root, "examples")]);
});

test("the ETL fans out over what it found, and gives the sum back", async () => {
  expect(await shop.done(["run", "etl", "--follow"])).toMatch(
    /extract\[2\] {2}succeeded[\s\S]*run etl {2}succeeded/,
  );
  const [run] = JSON.parse(await shop.done(["runs", "etl", "-o", "json"])).items;
  expect(run.outputs).toEqual({ rows: "orders".length + "customers".length + "returns".length });
});

test("the backup leaves a copy that was read, and nothing half done", async () => {
  const to = bench.folder();
  expect(await shop.done(["run", "backup", "-i", `to=${to}`, "--follow"])).toMatch(/tidy {2}succeeded/);
  const [run] = JSON.parse(await shop.done(["runs", "backup", "-o", "json"])).items;
  expect(run).toMatchObject({ state: "succeeded", outputs: { files: 1 } });
});

test("the runbook waits for a person, who is told what it is about", async () => {
  const run = (await shop.done(["run", "runbook", "-i", "service=shop"])).trim().slice(-8);
  await until("the question", async () => /restart shop\?/.test(await shown(run)));
  await shop.done(["approve", run, "--note", "go ahead"]);
  await until("its end", async () => /runbook \w{8} {2}succeeded/.test(await shown(run)));
});

test("the health check finds the server well, and is due every minute", async () => {
  // Its schedule may have one under way at this very moment: then this one is skipped, as its file says.
  const asked = ["run", "health", "-i", `url=${shop.server.url}/livez`, "--follow"];
  const said = await until("a run that is not skipped", async () => {
    const { stdout } = await shop.reeve(asked);
    return !/run health {2}skipped/.test(stdout) && stdout;
  });
  expect(said).toMatch(/run health {2}succeeded/);
  expect(await shop.done(["schedule", "list"])).toMatch(/backup +nightly[\s\S]*health +minutely/);
});
