import { Fault, type JsonObject } from "@reeve/model";
import type { Database } from "@reeve/store";
import { acceptSteps, renewLeases } from "@reeve/store/runs";
import { type AgentFinish, finishSteps, keyOf } from "./finish.ts";
import { gather } from "./gather.ts";
import type { AgentLink, Links } from "./links.ts";
import { renderHeld } from "./offers.ts";
import type { Plans } from "./plans.ts";
import type { AcceptVerdict, AgentSide, Held, OfferedStep, RunHooks } from "./runs.ts";
import { takeOver } from "./session.ts";
import type { Wrote } from "./turn.ts";

export interface AgentSideOptions {
  readonly database: Database;
  readonly replica: string;
  readonly hooks: RunHooks;
  readonly links: Links;
  readonly plans: Plans;
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly figures: { accepted: number; finished: number };
  readonly react: (wrote: Wrote) => void;
  readonly roomAgain: () => void;
  readonly stopsDue: () => void;
  readonly blinded: () => void;
}

export interface EngineAgentSide extends AgentSide {
  /** Fails a claimed step that cannot be offered. */
  refuse(agent: string, held: Held, why: string): Promise<void>;
  /** Takes offers back that nobody accepted. */
  tend(): void;
}

const offerMs = 10_000;
const batchMost = 1000;
/** A status is written as often as people look at it; a lease with every beat. */
const statusMs = 20_000;

export function openAgentSide(options: AgentSideOptions): EngineAgentSide {
  const { database, links, plans, leaseMs, figures } = options;
  const statusAt = new Map<string, number>();
  let troubledSince: number | undefined;

  const accepting = gather(batchMost, async (items: readonly (Held & { agent: string })[]) => {
    const rows = await database.transact((sql) => acceptSteps(sql, items));
    const accepted = new Set(rows.map((row) => `${keyOf(row)} ${row.epoch}`));
    figures.accepted += rows.length;
    return items.map((item) => accepted.has(`${keyOf(item)} ${item.epoch}`));
  });
  const finishing = gather(batchMost, async (items: readonly AgentFinish[]) => {
    const { rulings, wrote } = await database.transact((sql) => finishSteps(sql, items, plans));
    figures.finished += items.length;
    options.react(wrote);
    return rulings;
  });
  const beating = gather(
    2 * batchMost,
    async (beats: readonly { uid: string; session: string; status: JsonObject }[]) => {
      const now = performance.now();
      const rows = beats.map(({ uid, session, status }) => {
        const due = now - (statusAt.get(uid) ?? Number.NEGATIVE_INFINITY) > statusMs;
        if (due) statusAt.set(uid, now);
        return { uid, session, status: due ? status : null };
      });
      const latest = [...new Map(rows.map((row) => [row.uid, row])).values()];
      try {
        const renewed = new Map((await renewLeases(database, latest, leaseMs)).map((row) => [row.uid, row]));
        if (troubledSince !== undefined && now - troubledSince > 5000) options.blinded();
        troubledSince = undefined;
        return beats.map(({ uid }) => renewed.get(uid));
      } catch (error) {
        troubledSince ??= now;
        throw error;
      }
    },
  );

  function takeRoom(link: AgentLink, freeSlots: number): void {
    link.free = Math.max(0, freeSlots - link.offered.size);
    if (link.free > 0 && !link.drained) options.roomAgain();
  }

  return {
    async hello(hello, ear) {
      const taken = await database.transact((sql) => takeOver(sql, hello, options));
      options.react(taken.wrote);
      const link: AgentLink = {
        uid: hello.uid,
        session: hello.session,
        ear,
        executors: new Set(hello.executors),
        slots: hello.slots,
        free: Math.max(0, hello.slots - hello.inventory.length),
        scope: taken.scope,
        labels: taken.labels,
        drained: taken.drained,
        offered: new Map(),
      };
      for (const other of links.all())
        if (other.uid === hello.uid && other.session !== hello.session) other.ear.farewell("replaced");
      links.add(link);
      options.roomAgain();
      options.stopsDue();
      return { leaseMs, beatMs: options.beatMs, fenced: taken.fenced, known: taken.known };
    },
    async beat(uid, session, freeSlots, status) {
      const link = links.get(uid, session);
      const row = await beating({ uid, session, status });
      if (row === undefined) return false;
      if (link !== undefined) {
        link.scope = row.scope;
        link.labels = row.labels;
        link.drained = row.drained;
        takeRoom(link, freeSlots);
      }
      return true;
    },
    async accept(uid, session, steps, freeSlots) {
      const link = links.get(uid, session);
      const verdicts = await Promise.all(
        steps.map(async (held): Promise<AcceptVerdict> => {
          const accepted = await accepting({ ...held, agent: uid });
          const sent = link?.offered.get(keyOf(held));
          link?.offered.delete(keyOf(held));
          if (!accepted) return { ...held, ruling: "fenced", why: "it is no longer this agent's" };
          // An accept that is repeated elsewhere finds no offer: what was offered can be told again.
          const offer = sent?.offer ?? (await renderHeld(database, held, plans));
          return offer?.hasSecrets === true ? opened(uid, held, offer) : { ...held, ruling: "ok" };
        }),
      );
      if (link !== undefined) takeRoom(link, freeSlots);
      return verdicts;
    },
    async finish(uid, session, steps, freeSlots) {
      const rulings = await Promise.all(steps.map((step) => finishing({ ...step, agent: uid })));
      const link = links.get(uid, session);
      if (link !== undefined) takeRoom(link, freeSlots);
      return steps.map(({ run, seq, epoch }, at) => ({ run, seq, epoch, ruling: rulings[at] ?? "fenced" }));
    },
    gone(uid, session) {
      links.remove(uid, session);
      statusAt.delete(uid);
    },
    async refuse(agent, held, why) {
      await finishing({ ...held, agent, outcome: "failed", why, final: true });
    },
    tend() {
      const now = performance.now();
      for (const link of links.all())
        for (const [key, { offer, sentMs }] of link.offered)
          if (now - sentMs > offerMs) {
            link.offered.delete(key);
            const why = "its agent did not take it";
            const finish = {
              ...heldOf(offer),
              agent: link.uid,
              outcome: "lost",
              why,
              final: false,
              offeredOnly: true,
            } as const;
            // Should this fail, the agent's next hello or the end of its lease gives it back.
            void finishing(finish).catch(() => {});
          }
    },
  };

  /** Secrets are resolved for whoever has accepted, at that moment, and kept nowhere. */
  async function opened(agent: string, held: Held, offer: OfferedStep): Promise<AcceptVerdict> {
    try {
      const { value, hide } = await options.hooks.secrets(offer.scope, offer.with);
      return { ...held, ruling: "ok", with: value, hide };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await finishing({ ...held, agent, outcome: "failed", why: error.message, final: true });
      return { ...held, ruling: "fenced", why: error.message };
    }
  }
}

function heldOf({ run, seq, epoch }: Held): Held {
  return { run, seq, epoch };
}
