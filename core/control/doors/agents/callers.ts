import { createHash } from "node:crypto";
import { Fault, newUid, type Origin } from "@reeve/model";
import { type Database, findAgent, type KnownAgent, markIdentityUsed } from "@reeve/store";
import { renewableDays } from "../../authority/rotation.ts";
import type { Limiter } from "../../guard/limiter.ts";
import type { RecordRefused } from "../../guard/refused-credentials.ts";
import { callerAddress, callerFingerprint } from "../../peers/agents-listener.ts";
import type { CallContext } from "../../peers/line.ts";
import type { Enrolment } from "./enrolment.ts";

/** Finds out which agent calls. Whoever is none hears the same, whatever is wrong. */
export interface Callers {
  /** An agent that is to be served; with `renew` also one whose identity has expired a while ago. */
  identify(context: CallContext, use?: "renew"): Promise<Caller>;
  /** Counts a call without identity; throws when there were too many from its address. */
  count(context: CallContext): Origin;
  refused(origin: Origin, what: string, fault: Fault): Promise<void>;
}

export interface Caller extends KnownAgent {
  /** What it showed: the hash of its certificate or of its bearer token. */
  readonly shown: Buffer;
}

export interface CallersOptions {
  readonly database: Database;
  readonly enrolment: Enrolment;
  readonly limiter: Limiter;
  readonly perMinute: number;
  readonly recordRefused: RecordRefused;
}

/** A call with the old identity may be under way while the first one with the new arrives: that is no clone yet. */
const cloneGraceMs = 60_000;
const renewableMs = renewableDays * 86_400_000;

export function openCallers(options: CallersOptions): Callers {
  const { database, enrolment, limiter, recordRefused } = options;
  const count = (context: CallContext): Origin => {
    const address = context.values.get(callerAddress);
    limiter.count("agents' strangers", address, options.perMinute);
    return { requestId: newUid(), address };
  };
  async function refuse(context: CallContext, why: string): Promise<never> {
    const fault = new Fault("unauthenticated", why, { next: "join again with a new token" });
    await recordRefused(count(context), "agent", why);
    throw fault;
  }
  return {
    count,
    refused: (origin, what, fault) => recordRefused(origin, what, fault.message),
    async identify(context, use) {
      const shown = shownBy(context);
      const agent = shown && (await findAgent(database, shown));
      if (shown === undefined || agent === undefined)
        return refuse(context, "this is not the identity of an agent");
      if (agent.revoked) return refuse(context, "this agent was revoked");
      if (!agent.current && agent.used) {
        if (agent.usedForMs > cloneGraceMs) await enrolment.cloned(agent.uid);
        return refuse(context, "this identity was replaced by a newer one, which is in use");
      }
      if (agent.expired && !(use === "renew" && agent.expiredForMs < renewableMs))
        throw new Fault("precondition", "this identity has expired", { next: "renew it first" });
      if (agent.current && !agent.used) await markIdentityUsed(database, agent.uid, shown);
      return { ...agent, shown };
    },
  };
}

/** Behind a proxy that ends TLS the certificate is the proxy's, if any: a bearer token goes before it. */
function shownBy({ values, requestHeader }: CallContext): Buffer | undefined {
  const bearer = /^Bearer +(\S{1,500})$/i.exec(requestHeader.get("authorization") ?? "")?.[1];
  if (bearer !== undefined) return createHash("sha256").update(bearer).digest();
  const fingerprint = values.get(callerFingerprint);
  return fingerprint === undefined ? undefined : Buffer.from(fingerprint.replaceAll(":", ""), "hex");
}
