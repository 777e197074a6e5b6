import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentProcess, joinToken } from "../harness/agent-process.ts";
import { openBench } from "../harness/bench.ts";
import { freePort } from "../harness/replicas.ts";
import { openShop } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** One machine burns down with its disk, in the middle of its work. */
test("a lost agent's step is done elsewhere within 35 s, one that may happen once waits for a person, and their last words are there", async () => {
  const bench = openBench(onTestFinished);
  const port = await freePort();
  const shop = await openShop(bench, { REEVE_HOME_AGENT: "off", REEVE_AGENT_LISTEN: `127.0.0.1:${port}` });
  const token = await joinToken(shop.api, "edge", { uses: 2 });
  const urls = [`https://127.0.0.1:${port}`];
  const [one, two] = ["edge-1", "edge-2"].map((name) =>
    agentProcess(bench, { name, urls, labels: { pool: name } }),
  ) as [ReturnType<typeof agentProcess>, ReturnType<typeof agentProcess>];
  for (const agent of [one, two]) {
    await agent.join(token);
    agent.start();
  }
  const marks = bench.folder();
  const gate = join(marks, "gate");
  const step = (name: string, effect: string) => ({
    name,
    needs: [],
    effect,
    selector: "pool=edge-1",
    run: `echo "${name} began on $REEVE_ATTEMPT"; touch ${marks}/${name}; while [ ! -e ${gate} ]; do sleep 0.1; done`,
  });
  await shop.workflow("fragile", { steps: [step("again", "at-least-once"), step("once", "at-most-once")] });
  const id = await shop.begin("fragile");
  await until(
    "both to begin",
    () => ["again", "once"].every((name) => existsSync(join(marks, name))),
    30_000,
  );
  await until("both to be heard", async () => {
    const said = await shop.done(["logs", id]);
    return /again began/.test(said) && /once began/.test(said);
  });

  const tail = shop.reeve.start(["logs", id, "-f"]);
  await one.wipe();
  const lostAt = performance.now();
  // Whoever is given its label takes over, without a change of the workflow.
  const host = await shop.api.call("GET", "/api/v1/hosts/edge-2");
  const relabelled = { ...host.body, metadata: { ...host.body.metadata, labels: { pool: "edge-1" } } };
  expect((await shop.api.call("PUT", "/api/v1/hosts/edge-2", { body: relabelled })).status).toBe(200);
  await until(
    "the step to run on the other host",
    async () => {
      const { steps } = await shop.run(id);
      return steps.again.host === "edge-2" && steps.again.state === "running";
    },
    60_000,
  );
  expect(performance.now() - lostAt).toBeLessThan(35_000);
  const waiting = await shop.run(id);
  expect(waiting.steps.once).toMatchObject({
    state: "waiting",
    why: expect.stringContaining("may have happened"),
  });
  expect(await shop.done(["logs", id, "once"])).toContain("once began on 1");
  await until("the loss to be told", () => tail.stderr().includes("once: the agent was lost"));

  await shop.done(["decide", id.slice(-8), "once", "succeeded"]);
  writeFileSync(gate, "");
  expect(await shop.ended(id)).toMatchObject({ state: "succeeded", steps: { once: { attempt: 1 } } });

  expect(await tail.ended).toMatchObject({ code: 0 });
  expect(tail.stdout().match(/again \| again began on \d/g)).toEqual([
    "again | again began on 1",
    "again | again began on 2",
  ]);

  // The machine comes back empty, and is the same host again.
  await one.join(await joinToken(shop.api, "back", { replace: true }));
  one.start();
  await until("it to be back", async () =>
    /^edge-1\s+connected/m.test(await shop.done(["agent", "list", "--scope", ""])),
  );
});
