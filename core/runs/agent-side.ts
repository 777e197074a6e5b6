import { Fault } from "@reeve/model";
import type { Database } from "@reeve/store";
import { type AcceptKey, acceptSteps, awaitedSteps, leaveSession, staleOffers } from "@reeve/store/runs";
import { openBeats } from "./beats.ts";
import { sendOffers } from "./claim.ts";
import { type AgentFinish, finishSteps, keyOf, type Ruling } from "./finish.ts";
import { gather } from "./gather.ts";
import type { AgentLink, HeldStep, Links } from "./links.ts";
import { type Heads, renderHeld } from "./offers.ts";
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
  readonly heads: Heads;
  /** Whether more is ready in some queue than could be taken: then nobody goes before his turn. */
  readonly crowded: ReadonlySet<string>;
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly figures: { accepted: number; finished: number };
  readonly react: (wrote: Wrote) => void;
  readonly roomAgain: () => void;
  readonly stopsDue: () => void;
  /** Beats could not be recorded for a while. */
  readonly blinded: () => void;
}

export interface EngineAgentSide extends AgentSide {
  /** Fails a claimed step whose words cannot be filled in. */
  unfit(held: Held & { agent: string }, why: string): void;
  /** Takes offers back that nobody accepted. */
  tend(): Promise<void>;
}

const offerMs = 10_000;
const batchMost = 1000;

export function openAgentSide(options: AgentSideOptions): EngineAgentSide {
  const { database, links, plans, leaseMs, figures } = options;
  const beats = openBeats(options);

  const accepting = gather(batchMost, async (items: readonly (Held & { agent: string })[]) => {
    const keys: AcceptKey[] = items.map((item, at) => ({ ...item, at }));
    keys.sort((a, b) => (a.run < b.run ? -1 : a.run > b.run ? 1 : a.seq - b.seq));
    // One statement that may be repeated: no transaction around it.
    const accepted = await acceptSteps(database, keys);
    figures.accepted += accepted.size;
    const refused = keys.filter(({ at }) => !accepted.has(at));
    const awaited = refused.length > 0 ? await awaitedSteps(database, refused) : new Set<number>();
    // A row is written once, however many accepts of it came together: all of them hear the same.
    const taken = new Set(items.filter((_, at) => accepted.has(at)).map(acceptText));
    return items.map((item, at) =>
      taken.has(acceptText(item)) ? "ok" : awaited.has(at) ? "later" : "fenced",
    );
  });
  const finishing = gather(batchMost, async (items: readonly AgentFinish[]): Promise<readonly Ruling[]> => {
    const { rulings, wrote, opened, repeated } = await finishSteps(database, items, plans);
    figures.finished += items.length;
    for (const { agent, known, ...held } of items) if (known) links.byUid(agent)?.held.delete(keyOf(held));
    const offered = opened.filter(({ state }) => state === "offered");
    if (offered.length > 0) {
      const served = new Map(items.flatMap(({ agent, link }) => (link ? [[agent, link]] : [])));
      await sendOffers(offered, served, { ...options, unfit });
    }
    options.react(wrote);
    if (repeated.length > 0) void returnUnsent(repeated).catch(() => {});
    return rulings;
  });

  /** Offers that the recorded finishes made, and that were never sent, go back at once. Should this fail, they do so in a while. */
  async function returnUnsent(repeated: readonly AgentFinish[]): Promise<void> {
    const runs = new Set(repeated.map(({ run }) => run));
    const agents = [...new Set(repeated.map(({ agent }) => agent))];
    const unsent = (await staleOffers(database, agents, 0)).filter(
      ({ agent, ...held }) => runs.has(held.run) && links.byUid(agent)?.held.has(keyOf(held)) === false,
    );
    await takeBack(unsent, "it was offered, and not sent");
  }

  async function takeBack(offers: readonly (Held & { agent: string })[], why: string): Promise<void> {
    for (const { agent, ...held } of offers) {
      const link = links.byUid(agent);
      if (link?.held.delete(keyOf(held))) link.unaccepted--;
      await finishing([{ ...held, agent, outcome: "lost", why, final: false, offeredOnly: true }]);
    }
  }

  function unfit({ agent, ...held }: Held & { agent: string }, why: string): void {
    // Should this fail, it is an offer that nobody accepts: it goes back, and comes here again.
    finishing([{ ...held, agent, outcome: "failed", why, final: true }]).catch(() => {});
  }

  /** It was accepted, or its end says so: from now on the agent counts it itself. */
  function taken(link: AgentLink, known: HeldStep): void {
    if (known.offeredMs === undefined) return;
    known.offeredMs = undefined;
    link.unaccepted--;
  }

  function takeRoom(link: AgentLink, freeSlots: number): void {
    const before = link.free;
    link.free = Math.max(0, freeSlots - link.unaccepted);
    // Had it room before, it would have been offered what was ready, save in a crowd.
    const more = before <= 0 || (options.crowded.size > 0 && link.free > before);
    if (more && link.free > 0 && !link.drained) options.roomAgain();
  }

  /** Items spread over agents: then the next one is for whoever has the most room. */
  function someHaveMoreRoom(link: AgentLink | undefined, freed: number): boolean {
    const room = (link?.free ?? 0) + freed;
    for (const other of links.all()) if (other !== link && !other.drained && other.free > room) return true;
    return false;
  }

  /** Secrets are resolved for whoever has accepted, at that moment, and kept nowhere. */
  async function opened(agent: string, held: Held, offer: OfferedStep): Promise<AcceptVerdict> {
    try {
      const { value, hide } = await options.hooks.secrets(offer.scope, offer.with);
      return { ...held, ruling: "ok", with: value, hide };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await finishing([{ ...held, agent, outcome: "failed", why: error.message, final: true }]);
      return { ...held, ruling: "fenced", why: error.message };
    }
  }

  return {
    async hello(hello, ear) {
      const taken = await database.transact((sql) => takeOver(sql, hello, options));
      if ("newest" in taken) return taken;
      options.react(taken.wrote);
      const link: AgentLink = {
        uid: hello.uid,
        session: hello.session,
        ear,
        executors: new Set(hello.executors),
        free: Math.max(0, hello.slots - hello.inventory.length),
        scope: taken.scope,
        labels: taken.labels,
        drained: taken.drained,
        held: new Map(),
        unaccepted: 0,
      };
      const other = links.byUid(hello.uid);
      if (other !== undefined && other.session !== hello.session) other.ear.farewell("replaced");
      links.add(link);
      options.roomAgain();
      options.stopsDue();
      return { leaseMs, beatMs: options.beatMs, fenced: taken.fenced, known: taken.known };
    },
    async beat(uid, session, freeSlots, status) {
      const renewed = await beats.beat({ uid, session, status });
      const link = links.get(uid, session);
      if (renewed === undefined || link === undefined) return renewed !== undefined;
      if (renewed.scope !== link.scope || renewed.drained !== link.drained) options.roomAgain();
      Object.assign(link, { scope: renewed.scope, labels: renewed.labels, drained: renewed.drained });
      takeRoom(link, freeSlots);
      return true;
    },
    async accept(uid, session, steps, freeSlots) {
      const link = links.get(uid, session);
      const accepted = await accepting(steps.map((held) => ({ ...held, agent: uid })));
      const verdicts = await Promise.all(
        steps.map(async (held, at): Promise<AcceptVerdict | undefined> => {
          const known = link?.held.get(keyOf(held));
          if (link !== undefined && known?.offer.epoch === held.epoch) taken(link, known);
          // The agent must not forget it: it says hello first, and accepts again.
          if (accepted[at] === "later") return undefined;
          if (accepted[at] !== "ok") {
            link?.held.delete(keyOf(held));
            return { ...held, ruling: "fenced", why: "it is no longer this agent's" };
          }
          // An accept that is repeated elsewhere finds no offer: what was offered can be told again.
          const offer = known?.offer ?? (await renderHeld(database, held, options));
          return offer?.hasSecrets === true ? opened(uid, held, offer) : { ...held, ruling: "ok" };
        }),
      );
      if (link !== undefined) takeRoom(link, freeSlots);
      return verdicts.filter((verdict) => verdict !== undefined);
    },
    async finish(uid, session, steps, freeSlots) {
      const link = links.get(uid, session);
      const mayOffer = link !== undefined && !link.drained && options.crowded.size === 0;
      const mayFollow = ({ plan, def, parent }: HeldStep) =>
        parent !== null && plan.nextFollows[def] && !someHaveMoreRoom(link, steps.length);
      const rulings = await finishing(
        steps.map((step) => {
          const known = link?.held.get(keyOf(step));
          const same = known?.offer.epoch === step.epoch ? known : undefined;
          if (link !== undefined && same !== undefined) taken(link, same);
          return {
            ...step,
            agent: uid,
            known: same,
            link: mayOffer && same && (staysHere(same) || mayFollow(same)) ? link : undefined,
          };
        }),
      );
      const now = links.get(uid, session);
      if (now !== undefined) takeRoom(now, freeSlots);
      return steps.map(({ run, seq, epoch }, at) => ({ run, seq, epoch, ruling: rulings[at] ?? "fenced" }));
    },
    async leave(uid, session) {
      const link = links.get(uid, session);
      if (link === undefined) return;
      links.remove(uid, link.ear);
      await leaveSession(database, uid, session);
      await takeBack(await staleOffers(database, [uid], 0), "its agent is being stopped");
    },
    gone(uid, ear) {
      if (links.remove(uid, ear)) beats.forget(uid);
    },
    unfit,
    async tend() {
      const uids = [...links.all()].map(({ uid }) => uid);
      if (uids.length === 0) return;
      await takeBack(await staleOffers(database, uids, offerMs), "its agent did not take it");
    },
  };
}

function acceptText({ run, seq, epoch, agent }: Held & { agent: string }): string {
  return `${run} ${seq} ${epoch} ${agent}`;
}

/** Whether what follows a step can be done where it was done: by the same executor, with the same selector. */
function staysHere({ plan, def, parent }: HeldStep): boolean {
  if (parent !== null) return false;
  const here = plan.graph.steps[def];
  return (plan.after[def] ?? []).every((place) => {
    const next = plan.graph.steps[place];
    return (
      here?.body.does === "execute" &&
      next?.body.does === "execute" &&
      next.body.executor === here.body.executor &&
      next.selector === here.selector &&
      next.priority === here.priority
    );
  });
}
