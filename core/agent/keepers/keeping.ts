import { join } from "node:path";
import type { JsonObject } from "@reeve/model";
import type { InnerOutcome, Inside } from "../executor.ts";
import { converge } from "./converge.ts";
import { type Desired, openDesired } from "./desired.ts";
import type { Judgement, Keeper, KeepOrder, Means, Wanted } from "./keeper.ts";
import { openTurns } from "./turns.ts";

/** What was seen of a resource, for the control plane. */
export interface Observation {
  readonly kind: string;
  readonly uid: string;
  readonly seen: JsonObject;
}

export interface KeepingOptions {
  /** The agent's own. */
  readonly folder: string;
  readonly keepers: readonly Keeper[];
  readonly fetch: (name: string, signal: AbortSignal) => Promise<Buffer>;
  /** Only what is new; dropped without a connection, because `told` brings all of it after each. */
  readonly report: (observations: readonly Observation[]) => void;
  readonly log: (text: string) => void;
}

/** How a step asks for a generation. */
export interface Trying extends KeepOrder {
  /** How long it may take to do its work. */
  readonly gateMs: number;
}

export interface Keeping {
  prepare(kind: string, order: KeepOrder, inside: Inside): Promise<void>;
  /** Keeps a generation, or the one before it again when it does not do its work. */
  keep(kind: string, order: Trying, inside: Inside): Promise<InnerOutcome>;
  /** Does what a person asked for with the generation that is kept, and waits until it does its work. */
  act(kind: string, order: Trying & { readonly act: JsonObject }, inside: Inside): Promise<InnerOutcome>;
  /** Keeps nothing of it any more. */
  letGo(kind: string, order: Trying, inside: Inside): Promise<InnerOutcome>;
  /** Everything that was seen last. */
  told(): Observation[];
  /** The uids of all that is kept here. */
  kept(): string[];
  close(): Promise<void>;
}

/** Nothing tells of what happens while nobody listens. */
const sweepMs = 30_000;
const mostAtOnce = 4;
const repairFetchMs = 10_000;
const mostDelayMs = 300_000;

/**
 * Keeps generations true. Everything about one resource happens in turn, whether a step asked for it or drift did; what is
 * wanted is on disk before it is done, so that a new process goes on where this one was killed.
 */
export async function openKeeping(options: KeepingOptions): Promise<Keeping> {
  const { folder, log } = options;
  const files = await openDesired(join(folder, "kept"));
  const keepers = new Map(options.keepers.map((keeper) => [keeper.kind, keeper]));
  const desired = new Map((await files.all()).map((one) => [one.uid, one]));
  const told = new Map<string, Observation>();
  /** Repairs in a row that did not help, and when to try again. */
  const pauses = new Map<string, { failures: number; notBefore: number }>();
  const closing = new AbortController();
  const turns = openTurns(mostAtOnce, (uid) => look(uid));

  const meansOf = (kind: string, inside?: Inside): Means => {
    const signal = inside ? AbortSignal.any([closing.signal, inside.signal]) : closing.signal;
    // A step waits for the control plane for as long as it may take. A repair comes back by itself, and keeps no other waiting.
    const fetching = () => (inside ? signal : AbortSignal.any([signal, AbortSignal.timeout(repairFetchMs)]));
    return {
      folder: join(folder, `${kind.toLowerCase()}s`),
      fetch: (name) => options.fetch(name, fetching()),
      say: (text) => (inside ? inside.stdout(`${text}\n`) : log(text)),
      signal,
    };
  };

  const keeperOf = (kind: string): Keeper => {
    const keeper = keepers.get(kind);
    if (keeper === undefined) throw new Error(`this agent keeps no ${kind}`);
    return keeper;
  };

  async function write(next: Desired): Promise<void> {
    await files.write(next);
    desired.set(next.uid, next);
  }

  function tell(one: Desired, seen: JsonObject): void {
    const { kind, uid, settled, trial } = one;
    const observation = {
      kind,
      uid,
      seen: {
        ...(settled && { generation: settled.generation }),
        ...(trial && { trying: trial.wanted.generation }),
        ...seen,
      },
    };
    if (JSON.stringify(told.get(uid)) === JSON.stringify(observation)) return;
    told.set(uid, observation);
    options.report([observation]);
  }

  function tryFor(one: Desired, wanted: Wanted, gateMs: number, means: Means): Promise<Judgement> {
    const keeper = keeperOf(one.kind);
    const seen = (found: unknown) => tell(one, keeper.tell(wanted, found));
    return converge({ keeper, wanted, means, until: Date.now() + gateMs, seen });
  }

  /** Ends a trial that did not go well: what was there before is kept again, whoever still listens. */
  async function goBack(one: Desired, why: string, means: Means): Promise<string> {
    const { kind, uid, settled, trial } = one;
    // A process that is being stopped leaves a trial to the next one.
    if (trial === undefined || closing.signal.aborted) return why;
    const patient = { ...means, signal: closing.signal };
    means.say(await keeperOf(kind).explain(trial.wanted, patient));
    const gateMs = trial.until - trial.since;
    const back = settled ?? { ...trial.wanted, gone: true };
    means.say(settled ? `keeps generation ${settled.generation} again` : "removes what was begun");
    const judged = await tryFor(one, back, gateMs, patient);
    if (closing.signal.aborted) return why;
    const seconds = ((Date.now() - trial.since) / 1000).toFixed(1);
    if (settled === undefined) {
      await forget(uid);
      return `${why}; no generation was kept here before, and none is now`;
    }
    await write({ kind, uid, settled });
    turns.ask(uid);
    return judged.ready
      ? `${why}; generation ${settled.generation} is kept again, after ${seconds} s`
      : `${why}; generation ${settled.generation} is kept again and is not well either: ${judged.why}`;
  }

  /** The last word on it is what was seen when it had gone. */
  async function forget(uid: string): Promise<void> {
    await files.remove(uid);
    desired.delete(uid);
    const last = told.get(uid);
    told.delete(uid);
    const { generation: _, trying: __, ...seen } = last?.seen ?? {};
    if (last !== undefined) options.report([{ ...last, seen }]);
    pauses.delete(uid);
  }

  /** One look at a resource nobody asked about: tells what changed, and repairs. */
  async function look(uid: string): Promise<void> {
    const one = desired.get(uid);
    const wanted = one?.trial?.wanted ?? one?.settled;
    if (one === undefined || wanted === undefined) return;
    const keeper = keepers.get(one.kind);
    if (keeper === undefined) return;
    const means = meansOf(one.kind);
    try {
      const found = await keeper.observe(wanted, means);
      tell(one, keeper.tell(wanted, found));
      if (one.trial !== undefined) {
        // A step of the control plane will come back for it. Without one, it has had its time.
        const silent = { ...means, say: () => {} };
        if (Date.now() > one.trial.until) log(await goBack(one, "nobody came back for it", silent));
        return;
      }
      await repair(keeper, one, wanted, found, means);
    } catch (error) {
      tell(one, keeper.blind((error as Error).message));
    }
  }

  async function repair(keeper: Keeper, one: Desired, wanted: Wanted, found: unknown, means: Means) {
    const changes = keeper.plan(wanted, found);
    if (changes.length === 0) return void pauses.delete(one.uid);
    const { failures = 0, notBefore = 0 } = pauses.get(one.uid) ?? {};
    if (Date.now() < notBefore) return;
    const delayMs = Math.min(mostDelayMs, 1000 * 2 ** Math.min(failures, 9));
    pauses.set(one.uid, { failures: failures + 1, notBefore: Date.now() + delayMs });
    setTimeout(() => turns.ask(one.uid), delayMs + 10).unref();
    log(`${one.kind} ${wanted.name} is not as generation ${wanted.generation} says: repairing it`);
    for (const change of changes) await keeper.apply(change, wanted, means);
    tell(one, keeper.tell(wanted, await keeper.observe(wanted, means)));
  }

  /** A step whose process is being stopped has no end: the next process begins it again. */
  async function inTurn<T>(uid: string, work: () => Promise<T>): Promise<T> {
    const done = await turns.take(uid, work).catch((error: unknown) => {
      if (!closing.signal.aborted) throw error;
    });
    return closing.signal.aborted ? new Promise<T>(() => {}) : (done as T);
  }

  const askAll = () => {
    for (const uid of desired.keys()) turns.ask(uid);
  };
  const stops = [...keepers.values()].map((keeper) =>
    keeper.watch((uid) => (uid === undefined ? askAll() : turns.ask(uid))),
  );
  const sweeping = setInterval(askAll, sweepMs);
  askAll();

  return {
    async prepare(kind, order, inside) {
      await inTurn(order.uid, () => keeperOf(kind).prepare(order, meansOf(kind, inside)));
    },
    keep: (kind, { gateMs, ...order }, inside) =>
      inTurn(order.uid, async () => {
        const means = meansOf(kind, inside);
        const before = desired.get(order.uid);
        const prepared = await keeperOf(kind).prepare(order, means);
        const since = before?.trial?.since ?? Date.now();
        const trial = { wanted: { ...order, prepared }, since, until: Date.now() + gateMs };
        const one = { kind, uid: order.uid, ...(before?.settled && { settled: before.settled }), trial };
        await write(one);
        const judged = await tryFor(one, trial.wanted, gateMs, means);
        if (!judged.ready)
          return { outcome: "failed", why: await goBack(one, judged.why, means), final: true };
        await write({ kind, uid: order.uid, settled: trial.wanted });
        await keeperOf(kind).settled(trial.wanted, means);
        turns.ask(order.uid);
        means.say(`keeps generation ${order.generation}`);
        return { outcome: "succeeded", why: "", outputs: { generation: order.generation } };
      }),
    act: (kind, { uid, act, gateMs }, inside) =>
      inTurn(uid, async () => {
        const means = meansOf(kind, inside);
        const one = desired.get(uid);
        const { acts } = keeperOf(kind);
        if (one?.settled === undefined || one.trial !== undefined || acts === undefined)
          return { outcome: "failed", why: "no generation of it is kept here: deploy it first", final: true };
        await acts.perform(act, one.settled, means);
        const next = { ...one, settled: acts.overridden(act, one.settled) };
        await write(next);
        const judged = await tryFor(next, next.settled, gateMs, means);
        turns.ask(uid);
        return judged.ready ? { outcome: "succeeded", why: "" } : { outcome: "failed", why: judged.why };
      }),
    letGo: (kind, { gateMs, ...order }, inside) =>
      inTurn(order.uid, async () => {
        const means = meansOf(kind, inside);
        const before = desired.get(order.uid);
        const known = before?.trial?.wanted ?? before?.settled ?? { ...order, prepared: {} };
        const one = before ?? { kind, uid: order.uid };
        const judged = await tryFor(one, { ...known, gone: true }, gateMs, means);
        if (!judged.ready) return { outcome: "failed", why: judged.why };
        await forget(order.uid);
        means.say("nothing of it is kept here any more");
        return { outcome: "succeeded", why: "" };
      }),
    told: () => [...told.values()],
    kept: () => [...desired.keys()],
    async close() {
      closing.abort();
      clearInterval(sweeping);
      for (const stop of stops) stop();
      await turns.end();
    },
  };
}
