import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBench } from "../harness/bench.ts";
import { openShop, type RunSeen, type Shop } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** What a step can ask for, kept by the real server and agent: attempts, times, limits, turns, places. */
const bench = openBench(afterAll);
let shop: Shop;
let folder: string;

beforeAll(async () => {
  shop = await openShop(bench);
  folder = bench.folder();
});

const lines = (file: string) =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
/** A script that leaves its mark and goes on when the gate is opened. */
const gated = (name: string) =>
  `echo "${name} $REEVE_ATTEMPT" >> ${folder}/marks; while [ ! -e ${folder}/${name} ]; do sleep 0.05; done`;
const open = (name: string) => writeFileSync(join(folder, name), "");
const stateOf = (id: string, step: string) => async (): Promise<string> =>
  (await shop.run(id)).steps[step]?.state;
const running = (id: string, step: string) => expect.poll(stateOf(id, step)).toBe("running");

test("a step that fails is tried again after growing pauses, and each attempt is kept", async () => {
  const file = join(folder, "tries");
  await shop.workflow("retried", {
    steps: [
      {
        name: "flaky",
        run: `echo "$REEVE_ATTEMPT $REEVE_KEY" >> ${file}; test $REEVE_ATTEMPT = 3`,
        retry: { times: 5, delay: "1s", factor: 2 },
      },
    ],
  });
  const id = await shop.begin("retried");
  await until("the wait to be told", async () =>
    /^exit code 1; attempt [23] follows in [12]s/.test((await shop.run(id)).steps.flaky?.why),
  );
  const run = await shop.ended(id);
  expect(run).toMatchObject({ state: "succeeded", steps: { flaky: { attempt: 3 } } });
  const tries = lines(file).map((line) => line.split(" "));
  expect(tries.map(([attempt]) => attempt)).toEqual(["1", "2", "3"]);
  expect(new Set(tries.map(([, key]) => key)).size).toBe(1);
  const { body } = await shop.api.call("GET", `/api/v1/runs/${id}/steps/0/attempts`);
  const attempts: { attempt: number; state: string; startedAt: string; endedAt: string }[] = body.items;
  const inOrder = attempts.toSorted((a, b) => a.attempt - b.attempt);
  expect(inOrder.slice(0, 2)).toMatchObject([
    { state: "failed", why: "exit code 1", exitCode: 1 },
    { state: "failed", why: "exit code 1", exitCode: 1 },
  ]);
  const [first, second] = inOrder;
  const pauseMs = Date.parse(run.steps.flaky.startedAt) - Date.parse(second?.endedAt ?? "");
  expect(Date.parse(second?.startedAt ?? "") - Date.parse(first?.endedAt ?? "")).toBeGreaterThanOrEqual(900);
  expect(pauseMs).toBeGreaterThanOrEqual(1900);
});

test("the four timeouts end a step, each with its own words; a sign of life keeps one alive", async () => {
  const step = (name: string, more: object) => ({ name, needs: [], mayFail: true, ...more });
  await shop.workflow("late", {
    steps: [
      step("start", { run: "true", selector: "zone=moon", timeouts: { start: "1s" } }),
      step("finish", { run: "sleep 600", timeouts: { finish: "1s" } }),
      step("overall", { run: "false", retry: { times: 100, delay: "1s" }, timeouts: { overall: "2s" } }),
      step("heartbeat", { run: "sleep 600", timeouts: { heartbeat: "1s" } }),
      step("alive", {
        run: 'for i in $(seq 1 12); do sleep 0.5; touch "$REEVE_HEARTBEAT"; done',
        timeouts: { heartbeat: "5s" },
      }),
    ],
  });
  const run = await shop.ended(await shop.begin("late"));
  expect(run.state).toBe("succeeded");
  expect(run.steps).toMatchObject({
    start: { state: "failed", why: expect.stringContaining("1s") },
    finish: { state: "failed", why: expect.stringContaining("ran longer than 1s") },
    overall: {
      state: "failed",
      why: expect.stringMatching(/no time for another attempt: overall 2s|took longer than 2s in all/),
    },
    heartbeat: { state: "failed", why: expect.stringContaining("no sign of life for 1s") },
    alive: { state: "succeeded" },
  });
  expect(run.steps.overall.attempt).toBeLessThan(4);
});

test("runs over their limit wait, replace the older one, or are given up, as the workflow says", async () => {
  const define = (name: string, over: string) =>
    shop.workflow(name, { steps: [{ name: "hold", run: gated(name) }], concurrency: { most: 1, over } });
  await define("queued", "queue");
  const [first, second] = [await shop.begin("queued"), await shop.begin("queued")];
  await running(first, "hold");
  expect(await shop.run(second)).toMatchObject({
    state: "queued",
    why: expect.stringContaining(first.slice(-8)),
  });
  open("queued");
  expect((await shop.ended(second)).state).toBe("succeeded");

  await define("replaced", "cancel");
  const older = await shop.begin("replaced");
  await running(older, "hold");
  const newer = await shop.begin("replaced");
  expect(await shop.ended(older)).toMatchObject({ state: "cancelled" });
  await running(newer, "hold");
  open("replaced");
  expect((await shop.ended(newer)).state).toBe("succeeded");

  await define("skipped", "skip");
  const taken = await shop.begin("skipped");
  await running(taken, "hold");
  const given = await shop.ended(await shop.begin("skipped"));
  expect(given).toMatchObject({ state: "skipped", why: expect.stringContaining("1 of at most 1") });
  // A slot is not leaked by a kill: what was cancelled makes room.
  await shop.done(["cancel", taken.slice(-8)]);
  await shop.ended(taken);
  open("skipped");
  expect((await shop.ended(await shop.begin("skipped"))).state).toBe("succeeded");
});

test("steps with one key keep to its limit over all runs, and the more urgent goes first", async () => {
  const limited = (run: string) => [{ name: "use", run, limit: { key: "disk", most: 1 } }];
  await shop.workflow("holder", { steps: limited(gated("holder")) });
  await shop.workflow("user", {
    inputs: { name: {} },
    steps: limited(`echo "\${{ inputs.name }}" >> ${folder}/order`),
  });
  const holder = await shop.begin("holder");
  await running(holder, "use");
  const low = await shop.begin("user", "-i", "name=low");
  await expect.poll(stateOf(low, "use")).toBe("waiting");
  const high = await shop.begin("user", "-i", "name=high", "--priority", "10");
  await expect.poll(stateOf(high, "use")).toBe("waiting");
  expect((await shop.run(low)).steps.use.why).toContain("limit is reached");
  expect(await shop.done(["runs", "show", low.slice(-8)])).toMatch(/use +its limit is reached: held by/);
  open("holder");
  await Promise.all([low, high].map((id) => shop.ended(id)));
  expect(lines(join(folder, "order"))).toEqual(["high", "low"]);
});

test("a key that is made of an input is a limit for each value, of runs and of steps", async () => {
  await shop.workflow("deploy", {
    inputs: { env: {} },
    concurrency: { key: "deploy-${{ inputs.env }}" },
    steps: [{ name: "hold", run: gated("deploy") }],
  });
  const deploy = (env: string) => shop.begin("deploy", "-i", `env=${env}`);
  const [prod, stage, later] = [await deploy("prod"), await deploy("stage"), await deploy("prod")];
  await Promise.all([running(prod, "hold"), running(stage, "hold")]);
  expect((await shop.run(later)).state).toBe("queued");
  open("deploy");
  for (const id of [prod, stage, later]) expect((await shop.ended(id)).state).toBe("succeeded");

  await shop.workflow("clean", {
    inputs: { zone: {} },
    steps: [{ name: "hold", run: gated("clean"), limit: { key: "zone-${{ inputs.zone }}", most: 1 } }],
  });
  const clean = (zone: string) => shop.begin("clean", "-i", `zone=${zone}`);
  const [a, b] = [await clean("a"), await clean("b")];
  await Promise.all([running(a, "hold"), running(b, "hold")]);
  const next = await clean("a");
  await expect.poll(stateOf(next, "hold")).toBe("waiting");
  open("clean");
  for (const id of [a, b, next]) expect((await shop.ended(id)).state).toBe("succeeded");
});

test("a run over its whole time is ended and failed, and its cleanup still done", async () => {
  await shop.workflow("endless", {
    timeout: "1s",
    steps: [
      { name: "spin", run: "sleep 600" },
      { name: "tidy", cleanup: true, run: "true" },
    ],
  });
  const run: RunSeen = await shop.ended(await shop.begin("endless"));
  expect(run).toMatchObject({ state: "failed", why: expect.stringContaining("1s") });
  expect(run.steps.tidy.state).toBe("succeeded");
});
