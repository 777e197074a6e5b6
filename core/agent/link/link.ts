import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type {
  Dial,
  FinishSchema,
  HostFacts,
  HostStatusSchema,
  ObservationSchema,
  Offer,
  Stop,
  UsageHeard,
  UsageSchema,
  Verdict,
  Welcome,
} from "@reeve/protocol/agent";
import { ProblemSchema } from "@reeve/protocol/problem";
import type { AttemptKey } from "../attempt-key.ts";
import { steadyNow } from "../clock.ts";
import type { OpenLogsStream } from "../logs/shipping.ts";
import type { OpenTunnelStream } from "../tunnels/tunnels.ts";
import { type Connection, openConnection } from "./connection.ts";
import { type ControlEnd, control } from "./control.ts";
import { renew } from "./enrol.ts";
import type { Identity } from "./identity.ts";
import { openLease } from "./lease.ts";
import type { Outbox } from "./outbox.ts";
import { dialAs } from "./trust.ts";

/** What the link asks of the agent, and tells it. */
export interface Ear {
  /** Every attempt that is held, running or ended and not acknowledged. */
  inventory(): AttemptKey[];
  freeSlots(): number;
  status(): MessageInitShape<typeof HostStatusSchema>;
  /** Connected, again: whatever was not ruled on has to be sent once more. */
  welcome(welcome: Welcome): void;
  offers(offers: readonly Offer[]): void;
  verdicts(verdicts: readonly Verdict[]): void;
  stops(stops: readonly Stop[]): void;
  /** Somebody wants to look at something here. */
  dial(dial: Dial): void;
  usageHeard(heard: UsageHeard): void;
}

export interface LinkOptions {
  readonly identity: Identity;
  /** A renewed identity, to be kept before it is used. */
  readonly keep: (identity: Identity) => Promise<void>;
  readonly facts: HostFacts;
  readonly slots: number;
  readonly ear: Ear;
  readonly log: (text: string) => void;
  /** Where the lease is kept for attempts and for the next process. */
  readonly leaseFile?: string;
}

/** Why the link is over for good: exit. Everything else is tried again, for ever. */
export interface LinkEnd {
  readonly reason: "stopped" | "replaced" | "revoked";
  readonly why: string;
}

/** The life line to the control plane. What is sent while there is no connection is dropped: see `Ear.welcome`. */
export interface Link {
  accept(keys: readonly AttemptKey[]): void;
  finish(finishes: readonly MessageInitShape<typeof FinishSchema>[]): void;
  observe(
    observations: readonly MessageInitShape<typeof ObservationSchema>[],
    kept?: readonly string[],
  ): void;
  usage(usage: MessageInitShape<typeof UsageSchema>): void;
  readonly openLogs: OpenLogsStream;
  readonly openTunnel: OpenTunnelStream;
  /** A file of the control plane, which is waited for while it is away; throws when it is not this agent's to have. */
  fetch(name: string, signal: AbortSignal): Promise<Buffer>;
  readonly connected: boolean;
  /** How long the agent's lease lasts at least, by what it knows; negative when it may have run out. */
  leaseLeftMs(): number;
  /** How long it lasts from a beat that was heard. */
  readonly leaseMs: number;
  readonly ended: Promise<LinkEnd>;
  stop(): void;
}

const firstDelayMs = 250;
const mostDelayMs = 15_000;
const renewAgainMs = 60_000;
const aboveMs = 86_400_000;
const fetchAgainMs = 250;
/** While there is a connection: what fails again and again is not the way there. */
const mostFetchFailures = 5;

export function openLink(options: LinkOptions): Link {
  const { ear, log } = options;
  const session = randomUUID();
  const stopping = new AbortController();
  const lease = openLease(options.leaseFile);
  let identity = options.identity;
  let at = Math.floor(Math.random() * identity.urls.length);
  let outbox: Outbox | undefined;
  let renewAt = Date.parse(identity.renewAt);
  let helloNumber = 0;

  const url = () => identity.urls[at % identity.urls.length] as string;

  async function renewNow(): Promise<void> {
    const renewed = await renew(identity, url());
    await options.keep(renewed);
    identity = renewed;
    renewAt = Date.parse(renewed.renewAt);
  }

  async function renewIfTime(): Promise<void> {
    if (Date.now() < renewAt) return;
    try {
      await renewNow();
    } catch (error) {
      if (refused(error) || Date.now() > Date.parse(identity.expiresAt)) throw error;
      // The present one is good for a while yet.
      renewAt = Date.now() + renewAgainMs;
      log(`the agent's identity was not renewed: ${textOf(error)}`);
    }
  }

  /**
   * Rises from one process of this agent to the next as well, save when the host's uptime has begun anew: then the control plane says
   * where to go on from, and we do well above it, as there may be hellos under way that it has not seen.
   */
  function nextHello(): number {
    helloNumber = Math.max(helloNumber + 1, Math.floor(steadyNow()));
    return helloNumber;
  }

  /** One connection, from hello to its end. */
  async function connectOnce(onWelcome: () => void): Promise<ControlEnd> {
    await renewIfTime();
    const connection = openConnection({ ...dialAs(identity, url()), pings: false });
    try {
      return await control({
        connection,
        session,
        helloNumber: nextHello(),
        facts: options.facts,
        slots: options.slots,
        ear,
        lease,
        signal: stopping.signal,
        // Renewed between two connections, so that the new identity is used while the old one still works.
        untilMs: renewAt - Date.now(),
        opened(open) {
          outbox = open;
          log(`connected to ${url()} as ${identity.name}`);
          onWelcome();
        },
      });
    } finally {
      outbox = undefined;
      connection.close();
    }
  }

  /**
   * The control plane may not know us because it was restored from a backup that is older than our identity: it then takes that for
   * renewing alone. True when it does not take it for that either.
   */
  async function isUnknown(): Promise<boolean> {
    try {
      await renewNow();
      log("the control plane did not know the agent's identity, and has renewed it");
      return false;
    } catch (error) {
      return refused(error);
    }
  }

  async function stayConnected(): Promise<LinkEnd> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        const end = await connectOnce(() => {
          failures = 0;
        });
        if (end.newestHello) helloNumber = Math.max(helloNumber, end.newestHello + aboveMs);
        if (end.reason === "renew") renewAt = Date.now();
        else if (end.reason !== "again") return { reason: end.reason, why: end.why };
        if (end.why !== "" && !stopping.signal.aborted) log(`connecting again: ${end.why}`);
      } catch (error) {
        if (stopping.signal.aborted) break;
        if (refused(error) && (await isUnknown())) return { reason: "revoked", why: textOf(error) };
        if (isOver(error)) renewAt = Date.now();
        failures++;
        if (failures === 1 || failures % 20 === 0) log(`cannot reach ${url()}: ${textOf(error)}; trying on`);
      }
      at++;
      await sleep(delayMs(failures), undefined, { signal: stopping.signal }).catch(() => {});
    }
    return { reason: "stopped", why: "" };
  }

  /** Another connection to the same replica, so that what is large delays no beat. */
  function openBeside(): Connection {
    if (outbox === undefined) throw new Error("there is no connection to the control plane");
    return openConnection(dialAs(identity, url()));
  }

  async function fetchOnce(name: string, signal: AbortSignal): Promise<Buffer> {
    const connection = openBeside();
    try {
      const pieces: Uint8Array[] = [];
      for await (const { data } of connection.client.fetch({ name }, { signal })) pieces.push(data);
      return Buffer.concat(pieces);
    } finally {
      connection.close();
    }
  }

  return {
    accept: (keys) => outbox?.accept(keys),
    finish: (finishes) => outbox?.finish(finishes),
    observe(observations, kept) {
      outbox?.observe(observations);
      if (kept !== undefined) outbox?.kept(kept);
    },
    usage: (usage) => outbox?.usage(usage),
    async *openLogs(requests, signal) {
      const connection = openBeside();
      try {
        yield* connection.client.logs(requests, { signal });
      } finally {
        connection.close();
      }
    },
    async *openTunnel(words, signal) {
      const connection = openBeside();
      try {
        yield* connection.client.tunnel(words, { signal });
      } finally {
        connection.close();
      }
    },
    async fetch(name, signal) {
      for (let failures = 0; ; ) {
        try {
          return await fetchOnce(name, signal);
        } catch (error) {
          // Of a replica that dies, this may be the first to notice.
          if (outbox !== undefined) failures++;
          if (!refused(error) && failures < mostFetchFailures)
            await sleep(fetchAgainMs * 2 ** failures, undefined, { signal }).catch(() => {});
          if (refused(error) || failures >= mostFetchFailures || signal.aborted)
            throw new Error(`cannot fetch ${name}: ${textOf(error)}`);
        }
      }
    },
    get connected() {
      return outbox !== undefined;
    },
    leaseLeftMs: () => lease.leftMs(),
    get leaseMs() {
      return lease.lengthMs;
    },
    ended: stayConnected(),
    stop: () => stopping.abort(),
  };
}

/** Agents that lost the same replica must not come back in the same moment. */
function delayMs(failures: number): number {
  return Math.random() * Math.min(mostDelayMs, firstDelayMs * 2 ** Math.min(failures, 10));
}

const goneCodes = [Code.Unauthenticated, Code.PermissionDenied, Code.NotFound];

/**
 * The identity is gone: asking again would be a ghost's knocking. Only our server knows that, and says it with a Problem; a proxy that
 * answers 401 or 403 has none.
 */
function refused(error: unknown): boolean {
  const said = ConnectError.from(error);
  return goneCodes.includes(said.code) && said.findDetails(ProblemSchema).length > 0;
}

/** By the control plane's clock, and that is the one that counts: by ours the identity may be good for days. */
function isOver(error: unknown): boolean {
  return ConnectError.from(error).code === Code.FailedPrecondition;
}

function textOf(error: unknown): string {
  return error instanceof ConnectError ? error.rawMessage : String((error as Error).message ?? error);
}
