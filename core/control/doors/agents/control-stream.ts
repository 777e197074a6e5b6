import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { Fault } from "@reeve/model";
import { type ControlRequest, Farewell_Reason, type Hello } from "@reeve/protocol";
import type { AgentEar, AgentSide } from "@reeve/runs";
import { type Database, hasOtherSession, writeHello, writeSightings } from "@reeve/store";
import type { Log } from "../../controller.ts";
import { openUsageReader, type UsageIn } from "../../usage/receive.ts";
import type { Caller } from "./callers.ts";
import { helloOf } from "./facts.ts";
import type { AgentLink, AgentLinks } from "./links.ts";
import { type ControlAnswer, openOutbox } from "./outbox.ts";
import {
  keyOf,
  readFinish,
  readKey,
  readSighting,
  readStatus,
  readUuid,
  writeOffer,
  writeVerdict,
} from "./words.ts";

export interface Controlling {
  readonly database: Database;
  readonly agents: AgentSide;
  readonly links: AgentLinks;
  /** Something new was seen: those who look at it should. */
  readonly observed: () => void;
  readonly usage: UsageIn;
  readonly log: Log;
}

const helloMs = 10_000;
/** Messages of one agent that are worked on at once; while there are as many, no more are read from it. */
const mostAtOnce = 64;
const mostKeys = 10_000;

interface Greeted {
  readonly session: string;
  readonly leaseMs: number;
  /** Slots that the agent has and its Host does not allow. */
  readonly spare: number;
}

const farewells = {
  reconnect: [Farewell_Reason.RECONNECT, "connect again"],
  renew: [Farewell_Reason.RENEW, "renew the identity: the authority is another one"],
  replaced: [Farewell_Reason.REPLACED, "another process has taken over this agent's identity"],
  revoked: [Farewell_Reason.REVOKED, "the host is gone or its agent was revoked"],
} as const;

/** The life line of one agent: hello first, then what it says is handed to the engine, and the engine's words to it. */
export async function* controlStream(
  controlling: Controlling,
  caller: Caller,
  requests: AsyncIterable<ControlRequest>,
): AsyncGenerator<ControlAnswer> {
  const { agents, links, log } = controlling;
  const outbox = openOutbox();
  const readUsage = openUsageReader(caller.uid);
  let link: AgentLink | undefined;
  let left = false;
  let seen: Promise<unknown> = Promise.resolve();

  const ear: AgentEar = {
    offer: (offers) => send("offers", { offers: offers.map(writeOffer) }),
    stop: (stops) =>
      send("stops", {
        stops: stops.map((stop) => ({ attempt: keyOf(stop), graceMs: stop.graceMs, why: stop.why })),
      }),
    farewell,
  };

  function send<Case extends string>(name: Case, value: object): void {
    outbox.send({ message: { case: name, value } } as ControlAnswer);
  }

  function farewell(word: keyof typeof farewells, newest = 0): void {
    const [reason, why] = farewells[word];
    send("farewell", { reason, why, newestHello: BigInt(newest) });
    outbox.end();
  }

  async function greet(hello: Hello): Promise<Greeted | undefined> {
    const { uid, shown: identity } = caller;
    const session = readUuid("session", hello.session);
    const slots = Math.min(hello.slots, caller.slotsAllowed ?? hello.slots);
    const { facts, executors } = helloOf(hello.facts, slots);
    if (hello.inventory.length > mostKeys) throw tooMany("inventory");
    const inventory = hello.inventory.map(readKey);
    // What the engine matches steps with must be true before it offers any.
    await writeHello(controlling.database, uid, identity, { slots, facts, executors: executors ?? [] });
    const welcome = await agents.hello(
      {
        ...{
          uid,
          identity,
          session,
          slots,
          executors: executors as string[],
          facts,
          inventory,
        },
        number: Number(hello.number),
      },
      ear,
    );
    if ("newest" in welcome) {
      log.info({ agent: uid }, "an agent's hello was overtaken by a newer one");
      farewell("reconnect", welcome.newest);
      return undefined;
    }
    // It may have left while its hello was recorded.
    if (left) {
      agents.gone(uid, ear);
      return undefined;
    }
    link = { uid, session, farewell, dial: (dial) => send("dial", dial) };
    links.add(link);
    const value = { ...welcome, fenced: welcome.fenced.map(keyOf), known: welcome.known.map(keyOf) };
    outbox.begin({ message: { case: "welcome", value } });
    return { session, leaseMs: welcome.leaseMs, spare: hello.slots - slots };
  }

  async function hear({ message }: ControlRequest, greeted: Greeted): Promise<void> {
    const { uid } = caller;
    const { session, leaseMs, spare } = greeted;
    if (message.case === "beat") {
      const { number, freeSlots } = message.value;
      const mine = await agents.beat(uid, session, less(freeSlots, spare), readStatus(message.value));
      if (mine) return send("beatHeard", { number, leaseMs });
      // Who was only given up for lost says hello again; who has a successor must not fight it.
      const succeeded = await hasOtherSession(controlling.database, uid, session);
      return farewell(succeeded ? "replaced" : "reconnect");
    }
    if (message.case === "accepts") {
      const { attempts, freeSlots } = message.value;
      if (attempts.length > mostKeys) throw tooMany("attempts");
      const verdicts = await agents.accept(uid, session, attempts.map(readKey), less(freeSlots, spare));
      return send("verdicts", { verdicts: verdicts.map(writeVerdict) });
    }
    if (message.case === "finishes") {
      const { finishes, freeSlots } = message.value;
      if (finishes.length > mostKeys) throw tooMany("finishes");
      const verdicts = await agents.finish(uid, session, finishes.map(readFinish), less(freeSlots, spare));
      return send("verdicts", {
        verdicts: verdicts.map((one) => ({ ...writeVerdict(one), onFinish: true })),
      });
    }
    if (message.case === "observations") {
      const { observations, all, kept } = message.value;
      if (kept.length > mostKeys) throw tooMany("kept");
      const only = all ? { only: kept.map((one) => readUuid("kept", one)) } : {};
      const news = { sightings: observations.map(readSighting), ...only };
      // In their order: an agent tells only what is new, so an older word that was written last would stay.
      const written = seen.then(() => writeSightings(controlling.database, uid, news));
      seen = written;
      if (await written) controlling.observed();
      return;
    }
    if (message.case === "usage") {
      const { from, samples } = message.value;
      const window = readUsage(message.value);
      const heard = () => send("usageHeard", { from, samples });
      // What nobody can use is heard too, or it would be told for ever.
      if (window === undefined) return heard();
      // Nobody waits for it, least of all an agent that leaves.
      void controlling.usage.take(window).then((durable) => durable && heard());
      return;
    }
    if (message.case === "leave") {
      await agents.leave(uid, session);
      return outbox.end();
    }
    throw new Fault("invalid", `message: ${message.case ?? "nothing"} is not expected here`);
  }

  async function read(): Promise<void> {
    const incoming = requests[Symbol.asyncIterator]();
    const first = await Promise.race([incoming.next(), sleep(helloMs, undefined, { ref: false })]);
    const hello = first?.done === false ? first.value.message : undefined;
    if (hello?.case !== "hello") throw new Fault("invalid", "message: begin with hello");
    const greeted = await greet(hello.value);
    if (!greeted) return;
    const busy = new Set<Promise<void>>();
    for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
      // What an agent leaves is what it did not accept before.
      if (next.value.message.case === "leave") await Promise.all(busy);
      const work = hear(next.value, greeted)
        .catch(failed)
        .finally(() => busy.delete(work));
      busy.add(work);
      if (busy.size >= mostAtOnce) await Promise.race(busy);
    }
    await Promise.all(busy);
  }

  /** What could not be recorded is said again after the next hello. */
  function failed(error: unknown): void {
    if (!(error instanceof Fault || error instanceof ConnectError))
      log.error({ err: error, agent: caller.uid }, "an agent's message failed");
    else if (error instanceof ConnectError && error.code === Code.Canceled)
      log.info({ agent: caller.uid }, "an agent's link was cut");
    outbox.end(error);
  }

  void read().then(() => outbox.end(), failed);
  try {
    yield* outbox.answers();
  } finally {
    left = true;
    outbox.end(new ConnectError("the agent has left", Code.Canceled));
    if (link !== undefined && links.remove(link)) agents.gone(caller.uid, ear);
  }
}

function less(freeSlots: number, spare: number): number {
  return Math.max(0, freeSlots - spare);
}

function tooMany(field: string): Fault {
  return new Fault("too_large", `${field}: more than ${mostKeys}`);
}
