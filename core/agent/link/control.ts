import { type ControlResponse, Farewell_Reason, type HostFacts } from "@reeve/protocol/agent";
import type { Connection } from "./connection.ts";
import type { Lease } from "./lease.ts";
import type { Ear } from "./link.ts";
import { type Outbox, openOutbox } from "./outbox.ts";

export interface ControlOptions {
  readonly connection: Pick<Connection, "control">;
  readonly session: string;
  readonly helloNumber: number;
  readonly facts: HostFacts;
  readonly slots: number;
  readonly ear: Ear;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  /** The stream ends of itself after this time, for a new identity. */
  readonly untilMs: number;
  readonly opened: (outbox: Outbox) => void;
}

export interface ControlEnd {
  readonly reason: "again" | "renew" | "replaced" | "revoked";
  readonly why: string;
  /** The control plane knows a hello with this number, and took ours for an older one. */
  readonly newestHello?: number;
}

const welcomeMs = 15_000;
const leaveMs = 3000;
/** Timers hold no more than 32 bits. */
const mostTimerMs = 2 ** 31 - 1;

/** One Control stream: hello, then beats whatever else happens, until it ends or is silent for three beats. */
export async function control(options: ControlOptions): Promise<ControlEnd> {
  const { connection, ear, lease, signal } = options;
  const outbox = openOutbox(ear.freeSlots);
  const cut = new AbortController();
  let number = 0n;
  let welcomed = false;
  let leaving: NodeJS.Timeout | undefined;
  let beating: NodeJS.Timeout | undefined;
  let silence: NodeJS.Timeout | undefined;
  let ended: ControlEnd = { reason: "again", why: "the control plane closed the connection" };

  function end(why: string, reason: ControlEnd["reason"] = "again"): void {
    ended = { reason, why };
    cut.abort();
  }

  function expectWordWithin(ms: number): void {
    clearTimeout(silence);
    silence = setTimeout(() => end(`nothing was heard for ${ms / 1000} s`), ms);
  }

  function beat(): void {
    lease.sent(++number);
    outbox.beat({ number, freeSlots: ear.freeSlots(), status: ear.status() });
  }

  /** True when the control plane has said farewell. */
  function hear({ message }: ControlResponse): boolean {
    switch (message.case) {
      case "welcome": {
        const { leaseMs, beatMs } = message.value;
        lease.heard(0n, leaseMs);
        welcomed = true;
        clearInterval(beating);
        beating = setInterval(beat, beatMs);
        silentMs = 3 * beatMs;
        options.opened(outbox);
        ear.welcome(message.value);
        return false;
      }
      case "beatHeard":
        lease.heard(message.value.number, message.value.leaseMs);
        return false;
      case "offers":
        ear.offers(message.value.offers);
        return false;
      case "verdicts":
        ear.verdicts(message.value.verdicts);
        return false;
      case "usageHeard":
        ear.usageHeard(message.value);
        return false;
      case "stops":
        ear.stops(message.value.stops);
        return false;
      case "dial":
        ear.dial(message.value);
        return false;
      case "farewell": {
        const { reason, why, newestHello } = message.value;
        if (reason === Farewell_Reason.REPLACED) ended = { reason: "replaced", why };
        else if (reason === Farewell_Reason.REVOKED) ended = { reason: "revoked", why };
        else if (reason === Farewell_Reason.RENEW) ended = { reason: "renew", why };
        else
          ended = {
            reason: "again",
            why: why || "the control plane asked for it",
            newestHello: Number(newestHello),
          };
        return true;
      }
      default:
        return false;
    }
  }

  let silentMs = welcomeMs;
  /** Whatever is still to be said goes first; the control plane then closes the stream, unless it is slow. */
  const stop = () => {
    if (!welcomed) return cut.abort();
    outbox.leave();
    leaving = setTimeout(() => cut.abort(), leaveMs);
  };
  signal.addEventListener("abort", stop);
  // Whatever the clock says by then: it may have been set back.
  const renewal = setTimeout(() => end("", "renew"), Math.min(Math.max(options.untilMs, 1000), mostTimerMs));
  expectWordWithin(silentMs);
  lease.sent(0n);
  const { session, facts, slots } = options;
  outbox.hello({ session, facts, slots, inventory: ear.inventory(), number: BigInt(options.helloNumber) });
  try {
    for await (const response of connection.control(outbox.messages(), cut.signal)) {
      if (hear(response)) break;
      expectWordWithin(silentMs);
    }
    return ended;
  } catch (error) {
    if (cut.signal.aborted) return ended;
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    clearTimeout(renewal);
    clearTimeout(leaving);
    clearTimeout(silence);
    clearInterval(beating);
    outbox.close();
    cut.abort();
  }
}
