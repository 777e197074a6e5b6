import { setImmediate as turn } from "node:timers/promises";
import { Fault } from "@reeve/model";
import type { Database } from "@reeve/store";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { OfferedStep, RunDraft, RunOperation } from "./runs.ts";
import { admit, definitions, draft, joinAgent, statesOf, testBench } from "./testing.ts";
import {
  cleanupOf,
  type DrawnRun,
  drawnRun,
  expected,
  graphOf,
  inner,
  limitOf,
  mostOf,
} from "./testing-model.ts";

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const runsDrawn = 120;

type Drawn = ReadonlyMap<string, DrawnRun>;

/** Which step of which run a body is of, and how often it is to fail. */
interface Told {
  readonly run: string;
  readonly at: number;
  readonly index: number;
  readonly failures: number;
}

test(`every run ends as its words say, limits are kept to, and nobody waits while there is room (seed ${seed})`, async () => {
  const graphs = fc.sample(drawnRun, { numRuns: runsDrawn, seed });
  const drafts = graphs.map((one) => draft(graphOf(one), { inputs: { yes: true } }));
  const drawn: Drawn = new Map(drafts.map(({ id }, at) => [id, graphs[at] as DrawnRun]));
  const exceeded = new Set<string>();
  const bodies = openBodies(drawn, exceeded);
  const { database, runs, agent, operate } = await testBench(bodies.behave, {
    // An attempt that is lost would be made again, and its body counted twice.
    leaseMs: 600_000,
    hooks: {
      ...definitions({ wide: inner(false), narrow: inner(true) }),
      make: async ({ spec }) => ({ state: bodies.next(spec.told as never), why: "so fated" }),
    },
  });
  const strong = await joinAgent(database, runs, bodies.behave, { slots: 2000 });

  async function look(): Promise<Seen> {
    const seen = await lookAt(database, drawn);
    for (const [key, { under, most }] of seen.limits)
      if (under > most) exceeded.add(`${key}: ${under} of ${most}`);
    for (const { run, seq } of [...agent.stops.splice(0), ...strong.stops.splice(0)])
      bodies.stop(`${run} ${seq}`);
    return seen;
  }
  /** All that still goes on are bodies behind gates, and whoever waits for a limit waits because it is full. */
  async function rests(): Promise<void> {
    const restless = async () => {
      const { moving, limits } = await look();
      const idle = [...limits].filter(([, one]) => one.waiting > 0 && one.under + one.leaving < one.most);
      return { moving: moving.filter((one) => !bodies.holds(one)), idle };
    };
    await expect.poll(restless).toEqual({ moving: [], idle: [] });
  }
  /** Unless it cannot be, as the run is by now. */
  async function ask(id: string, operation: RunOperation): Promise<void> {
    await operate(id, operation).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
    });
  }
  async function all(operation: RunOperation, some: readonly RunDraft[]): Promise<void> {
    for (const { id } of some) await ask(id, operation);
  }
  /** A person has looked: what was lost is done again, where there is a place for it. */
  async function decideLost(): Promise<void> {
    const lost = await database.query<{ run: string; seq: number }>(
      "select run, seq from step where reason = 'lost' order by run, seq",
    );
    for (const { run, seq } of lost) await ask(run, { does: "decide", seq, outcome: "again" });
  }

  /** Some of those that have ended, while others hold their limits; they must end as if they had never been begun before. */
  async function retryEnded(): Promise<void> {
    const ended = await database.query<{ id: string }>("select id from run where ended_at is not null");
    for (const { id } of ended) {
      const from = drawn.get(id)?.retried;
      if (from === undefined) continue;
      bodies.forget(id);
      await ask(id, { does: "retry", from });
    }
  }

  for (const one of drafts) await admit(database, runs, one);
  const paused = drafts.filter(({ id }) => drawn.get(id)?.fate.paused);
  await rests();
  await decideLost();
  await rests();
  await all({ does: "pause" }, paused);
  bodies.openSome();
  await rests();
  const cancelled = drafts.filter(({ id }) => drawn.get(id)?.fate.cancelled);
  await all({ does: "cancel", why: "enough" }, cancelled);
  bodies.openSome();
  await rests();
  await retryEnded();
  await rests();
  await all({ does: "resume" }, paused);
  bodies.openAll();
  const open = async () => {
    await decideLost();
    return (await look()).open;
  };
  await expect.poll(open).toBe(0);

  expect([...exceeded]).toEqual([]);
  for (const [id, one] of drawn) {
    const [run] = await database.query<{ state: string }>("select state, open from run where id = $1", [id]);
    const seen = { id, run, states: (await statesOf(database, id)).slice(0, one.steps.length) };
    const { states, run: state } = expected(one);
    if (run?.state === "cancelled") expect(cleanupOf(one, seen.states)).toEqual(cleanupOf(one, states));
    if (mayEndOtherwise(one).includes(run?.state ?? "")) continue;
    expect(seen, JSON.stringify(one)).toEqual({ id, run: { state, open: 0 }, states });
  }
});

/** Because somebody cancelled it, because a newer one took its place, or because there was no room for it. */
function mayEndOtherwise({ fate, line }: DrawnRun): string[] {
  return [
    ...(fate.cancelled || line?.key === "push" ? ["cancelled"] : []),
    ...(line?.over === "skip" ? ["skipped"] : []),
  ];
}

function openBodies(drawn: Drawn, exceeded: Set<string>) {
  const tries = new Map<string, number>();
  const running = new Map<string, number>();
  const lost = new Set<string>();
  const gates = new Map<string, (how: "opened" | "stopped") => void>();
  let allOpen = false;

  function next({ run, at, index, failures }: Told): "succeeded" | "failed" {
    const key = `${run} ${at} ${index}`;
    const now = (tries.get(key) ?? 0) + 1;
    tries.set(key, now);
    return now > failures ? "succeeded" : "failed";
  }
  return {
    next,
    /** Of a run that is to be done anew. */
    forget(run: string) {
      for (const key of tries.keys()) if (key.startsWith(`${run} `)) tries.delete(key);
      for (const key of lost) if (key.startsWith(`${run} `)) lost.delete(key);
    },
    async behave(offer: OfferedStep) {
      const told = offer.with.told as unknown as Told;
      const one = drawn.get(told.run)?.steps[told.at];
      if (one === undefined) throw new Error("a body of nobody");
      const limit = limitOf(told.run, told.at, one);
      const now = (running.get(limit.key) ?? 0) + 1;
      running.set(limit.key, now);
      if (now > limit.most) exceeded.add(`${limit.key}: ${now} bodies of ${limit.most}`);
      const gate = `${offer.run} ${offer.seq}`;
      const loses = one.lost && !lost.has(gate);
      if (loses) lost.add(gate);
      const how =
        one.gated && !loses && !allOpen
          ? await new Promise<string>((resolve) => gates.set(gate, resolve))
          : await turn("opened");
      running.set(limit.key, (running.get(limit.key) ?? 0) - 1);
      if (loses) return { outcome: "lost" as const, why: "nobody knows" };
      return how === "stopped"
        ? { outcome: "cancelled" as const, why: "told to stop" }
        : { outcome: next(told), why: "so fated" };
    },
    holds: (gate: string) => gates.has(gate),
    stop(gate: string) {
      gates.get(gate)?.("stopped");
      gates.delete(gate);
    },
    /** Every other gate. */
    openSome() {
      for (const [at, [gate, open]] of [...gates].entries())
        if (at % 2 === 0 && gates.delete(gate)) open("opened");
    },
    openAll() {
      allOpen = true;
      for (const open of gates.values()) open("opened");
      gates.clear();
    },
  };
}

interface Limit {
  readonly most: number;
  under: number;
  waiting: number;
  /** Cancelled, and not yet ended; it may never have begun. */
  leaving: number;
}

interface Seen {
  readonly open: number;
  /** Steps and runs that are about to go on. */
  readonly moving: string[];
  readonly limits: ReadonlyMap<string, Limit>;
}

const moves = new Set(["due", "ready", "offered", "running", "retry", "timer", "resource"]);
const underWay = new Set(["ready", "offered", "running", "timer", "run", "resource"]);

async function lookAt(database: Database, drawn: Drawn): Promise<Seen> {
  const steps = await database.query<{
    run: string;
    seq: number;
    def: number;
    parent: number | null;
    seen: string;
  }>(
    "select run, seq, def, parent, coalesce(reason, state) as seen from step where ended_at is null and state <> 'blocked'",
  );
  const runs = await database.query<{
    id: string;
    state: string;
    line: string | null;
    leaving: boolean;
    woken: boolean;
  }>(
    `select id, state, split_part(limit_key, ' ', 3) as line, cancelled_at is not null as leaving,
       coalesce(wake_at <= now(), false) as woken from run
     where ended_at is null`,
  );
  const limits = new Map<string, Limit>();
  const at = (key: string, most: number) => {
    const limit = limits.get(key) ?? { most, under: 0, waiting: 0, leaving: 0 };
    limits.set(key, limit);
    return limit;
  };
  for (const { run, def, parent, seen } of steps) {
    const one = drawn.get(run)?.steps[def];
    if (one === undefined || (one.items !== undefined && parent === null)) continue;
    const { key, most } = limitOf(run, def, one);
    if (seen === "limit") at(key, most).waiting++;
    if (underWay.has(seen)) at(key, most).under++;
  }
  for (const { state, line, leaving } of runs) {
    if (line === null) continue;
    const limit = at(`runs ${line}`, mostOf[line] as number);
    if (leaving) limit.leaving++;
    else if (state === "queued") limit.waiting++;
    else limit.under++;
  }
  const moving = steps.filter(({ seen }) => moves.has(seen)).map(({ run, seq }) => `${run} ${seq}`);
  return {
    open: runs.length,
    moving: [...moving, ...runs.flatMap(({ id, woken }) => (woken ? [id] : []))],
    limits,
  };
}
