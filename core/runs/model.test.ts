import type { GraphStep, RunGraph, StepState, TriggerRule } from "@reeve/model";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { admit, draft, joinAgent, statesOf, step, testBench } from "./testing.ts";

/** How the body of a step ends, whatever the attempt. */
type Fate = "succeeded" | "failed";

interface Drawn {
  readonly needs: number[];
  readonly rule: TriggerRule;
  readonly fate: Fate;
  readonly mayFail: boolean;
  readonly holds: boolean | undefined;
  readonly items: Fate[] | undefined;
  readonly atOnce: number | undefined;
  readonly limited: boolean;
}

const fate = fc.constantFrom<Fate>("succeeded", "succeeded", "succeeded", "failed");
const drawn = (at: number) =>
  fc.record<Drawn>({
    needs: at === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(at - 1), { maxLength: 3 }),
    rule: fc.constantFrom("all-succeeded", "all-succeeded", "any-succeeded", "all-done", "any-failed"),
    fate,
    mayFail: fc.boolean(),
    holds: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
    items: fc.option(fc.array(fate, { maxLength: 6 }), { nil: undefined, freq: 4 }),
    atOnce: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    limited: fc.boolean(),
  });
const drawnGraph = fc
  .integer({ min: 1, max: 8 })
  .chain((size) => fc.tuple(...[...Array(size).keys()].map(drawn)));

const limitMost = 3;

function graphOf(steps: readonly Drawn[]): RunGraph {
  return {
    steps: steps.map(({ needs, rule, mayFail, holds, items, atOnce, fate, limited }, at): GraphStep => {
      const ends = items === undefined ? fate : "${{ item }}";
      return step(`s${at}`, {
        needs,
        rule,
        body: { does: "execute", executor: "noop", with: { ends } },
        ...(mayFail ? { mayFail: true } : {}),
        ...(holds === undefined ? {} : { when: `inputs.yes == ${holds}` }),
        ...(items === undefined ? {} : { over: { items, ...(atOnce === undefined ? {} : { atOnce }) } }),
        ...(limited ? { limit: { key: "shared", most: limitMost } } : {}),
      });
    }),
  };
}

/** The judge: what the words mean, written down a second time and as plainly as can be. */
function expected(steps: readonly Drawn[]): { states: StepState[]; run: "succeeded" | "failed" } {
  const states: StepState[] = [];
  for (const { needs, rule, fate, holds, items } of steps) {
    const seen = needs.map((need) => states[need]);
    const met = {
      "all-succeeded": seen.every((state) => state === "succeeded"),
      "any-succeeded": seen.length === 0 || seen.includes("succeeded"),
      "all-done": true,
      "any-failed": seen.includes("failed"),
    }[rule];
    const ends = items === undefined ? fate : items.includes("failed") ? "failed" : "succeeded";
    states.push(met && holds !== false ? ends : "skipped");
  }
  const failed = states.some((state, at) => state === "failed" && steps[at]?.mayFail === false);
  return { states, run: failed ? "failed" : "succeeded" };
}

test("every graph ends, as its words say, and limits are never exceeded", async () => {
  const running = new Map<string, number>();
  const exceeded: string[] = [];
  const within = async (key: string, most: number, ends: Fate) => {
    const now = (running.get(key) ?? 0) + 1;
    running.set(key, now);
    if (now > most) exceeded.push(`${key}: ${now} of ${most}`);
    await new Promise(setImmediate);
    running.set(key, (running.get(key) ?? 0) - 1);
    return { outcome: ends, why: ends === "failed" ? "so fated" : "" };
  };
  const graphs = fc.sample(drawnGraph, { numRuns: 150, seed: Number(process.env.SEED ?? 20_261_115) });
  const drafts = graphs.map((steps) => ({ steps, draft: draft(graphOf(steps), { inputs: { yes: true } }) }));
  const places = new Map(drafts.map(({ steps, draft: { id } }) => [id, steps]));
  const behaviour = (offer: { run: string; step: string; with: { ends?: unknown } }) => {
    const at = Number(/^s(\d+)/.exec(offer.step)?.[1]);
    const { items, atOnce, limited } = (places.get(offer.run) as Drawn[])[at] as Drawn;
    const ends = offer.with.ends as Fate;
    if (items !== undefined && atOnce !== undefined) return within(`${offer.run} ${at}`, atOnce, ends);
    return limited ? within("shared", limitMost, ends) : { outcome: ends, why: "" };
  };
  const { database, runs } = await testBench(behaviour as never);
  await joinAgent(database, runs, behaviour as never);
  await admit(database, runs, ...drafts.map((one) => one.draft));
  const open = async () => (await database.query("select id from run where ended_at is null")).length;
  await expect.poll(open, { timeout: 60_000 }).toBe(0);
  expect(exceeded).toEqual([]);
  for (const {
    steps,
    draft: { id },
  } of drafts) {
    const judged = expected(steps);
    const [run] = await database.query("select state, open from run where id = $1", [id]);
    expect({ id, run, states: (await statesOf(database, id)).slice(0, steps.length), steps }).toEqual({
      id,
      run: { state: judged.run, open: 0 },
      states: judged.states,
      steps,
    });
  }
}, 120_000);
