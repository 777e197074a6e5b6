import { type GraphStep, newUid, type RunGraph } from "@reeve/model";
import { expect, test } from "vitest";
import type { RunDraft } from "./runs.ts";
import { admit, draft, stateOf, statesOf, step, testBench } from "./testing.ts";

const body = (text: string) => ({ does: "execute", executor: "noop", with: { text } }) as const;
const broken = {
  steps: [
    step("fetch", { body: body("fetch") }),
    step("load", { needs: [0], body: body("wrong ${{ steps.fetch.outputs.text }}") }),
    step("report", { needs: [1] }),
  ],
};
const [fetch, load, report] = broken.steps as [GraphStep, GraphStep, GraphStep];

/** Whatever is told to do something wrong fails, everything else gives back its text. */
const bench = () =>
  testBench(({ with: { text = "" } }) =>
    String(text).startsWith("wrong") ? { outcome: "failed", why: "no" } : { outputs: { text } },
  );

async function failedRun({ database, runs }: Awaited<ReturnType<typeof bench>>, graph: RunGraph) {
  const first = draft(graph);
  await admit(database, runs, first);
  await expect.poll(() => stateOf(database, first.id)).toBe("failed");
  return first;
}

const mended = ({ id, about }: RunDraft, graph: RunGraph, more: Partial<RunDraft> = {}) =>
  draft(graph, { about: { ...about, generation: 2 }, keeps: id, ...more });

test("a run of what was mended keeps what succeeded, with its outputs, and does the rest", async () => {
  const on = await bench();
  const { database, runs, agent } = on;
  const first = await failedRun(on, broken);
  // Before the others stands one more, so that places are others too.
  const graph = {
    steps: [
      step("check"),
      fetch,
      { ...load, needs: [1], body: body("right ${{ steps.fetch.outputs.text }}") },
      { ...report, needs: [2] },
    ],
  };
  const id = await admit(database, runs, mended(first, graph));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(agent.offers.map((offer) => offer.step).sort()).toEqual(
    ["check", "fetch", "load", "load", "report"].sort(),
  );
  expect(agent.offers.find(({ run, step }) => run === id && step === "load")?.with.text).toBe("right fetch");
  const kept = await database.query("select state, why, agent from step where run = $1 and seq = 1", [id]);
  expect(kept).toEqual([{ state: "succeeded", why: `kept from ${first.id}`, agent: null }]);
  expect(await statesOf(database, first.id)).toEqual(["succeeded", "failed", "skipped"]);
});

test("what is written otherwise is done again, and so is all that needs it", async () => {
  const on = await bench();
  const { database, runs, agent } = on;
  const after = step("b", { needs: [0] });
  const written = (a: string, c: string) => ({
    steps: [step("a", { body: body(a) }), after, step("c", { body: body(c) })],
  });
  const first = await failedRun(on, written("a", "wrong"));
  const id = await admit(database, runs, mended(first, written("other", "right")));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(agent.offers.filter(({ run }) => run === id).map((offer) => offer.step)).toHaveLength(3);
});

test("an approval is asked for again: what follows it may be written otherwise", async () => {
  const on = await bench();
  const { database, runs, operate } = on;
  const ask = step("ask", { body: { does: "approve", text: "Go on?" } });
  const first = draft({ steps: [ask, step("then", { needs: [0], body: body("wrong") })] });
  await admit(database, runs, first);
  await expect.poll(() => statesOf(database, first.id)).toEqual(["waiting", "blocked"]);
  await operate(first.id, { does: "approve", seq: 0, note: "" });
  await expect.poll(() => stateOf(database, first.id)).toBe("failed");
  const id = await admit(database, runs, mended(first, { steps: [ask, step("then", { needs: [0] })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["waiting", "blocked"]);
});

test("what a person said had succeeded is done: that was for what followed it then", async () => {
  const { database, runs, operate } = await bench();
  // No agent can do it.
  const scan = step("scan", { body: { does: "execute", executor: "scanner", with: {} } });
  const first = draft({ steps: [scan, step("then", { needs: [0], body: body("wrong") })] });
  await admit(database, runs, first);
  await operate(first.id, { does: "skip", seq: 0, as: "succeeded" });
  await expect.poll(() => statesOf(database, first.id)).toEqual(["succeeded", "failed"]);
  const id = await admit(database, runs, mended(first, { steps: [scan, step("then", { needs: [0] })] }));
  expect(await statesOf(database, id)).toEqual(["ready", "blocked"]);
});

test("what tidies up is done again, after what is done again", async () => {
  const on = await bench();
  const { database, runs, agent } = on;
  const tidy = step("tidy", { rule: "all-done", cleanup: true });
  const first = await failedRun(on, { steps: [step("a"), step("b", { body: body("wrong") }), tidy] });
  const id = await admit(database, runs, mended(first, { steps: [step("a"), step("b"), tidy] }));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(agent.offers.filter(({ run }) => run === id).map((offer) => offer.step)).toEqual(["b", "tidy"]);
});

test("one that is queued for a limit begins where the other failed once there is room", async () => {
  const on = await bench();
  const { database, runs, agent, operate } = on;
  const limit = { key: "one", most: 1, over: "queue" } as const;
  const first = await failedRun(on, { ...broken, limit });
  const holder = draft({
    steps: [step("hold", { body: { does: "approve", text: "Done?" } })],
    limit,
  });
  await admit(database, runs, holder);
  const id = await admit(
    database,
    runs,
    mended(first, { steps: [fetch, step("load", { needs: [0] }), report], limit }),
  );
  expect(await statesOf(database, id)).toEqual(["succeeded", "blocked", "blocked"]);
  await operate(holder.id, { does: "approve", seq: 0, note: "" });
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(agent.offers.filter(({ run }) => run === id).map((offer) => offer.step)).toEqual(["load", "report"]);
});

test("only what an ended run of the same definition did is kept, and only where something is left to do", async () => {
  const on = await bench();
  const { database, runs } = on;
  const first = await failedRun(on, broken);
  const refused = (one: RunDraft) => admit(database, runs, one);
  await expect(refused(mended(first, broken, { scope: "acme" }))).rejects.toThrow("there is no run");
  const about = { ...first.about, uid: newUid() };
  await expect(refused(mended(first, broken, { about }))).rejects.toThrow("there is no run");
  await expect(refused(mended({ ...first, id: newUid() }, broken))).rejects.toThrow("there is no run");
  await expect(refused(mended(first, { steps: [fetch] }))).rejects.toThrow("nothing left to do");
  const open = draft({ steps: [step("ask", { body: { does: "approve", text: "?" } })] });
  await admit(database, runs, open);
  await expect(refused(mended(open, broken))).rejects.toThrow("has not ended");
});
