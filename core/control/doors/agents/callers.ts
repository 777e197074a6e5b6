import { createHash, type X509Certificate } from "node:crypto";
import { Fault, newUid, type Origin } from "@reeve/model";
import {
  type AgentIdentity,
  type Database,
  findAgent,
  findBackedUpAgent,
  type KnownAgent,
  markIdentityUsed,
} from "@reeve/store";
import type { Authority } from "../../authority/authority.ts";
import { renewableDays } from "../../authority/rotation.ts";
import type { Limiter } from "../../guard/limiter.ts";
import type { RecordRefused } from "../../guard/refused-credentials.ts";
import { callerAddress, callerCertificate } from "../../peers/agents-listener.ts";
import type { CallContext } from "../../peers/line.ts";
import type { Enrolment } from "./enrolment.ts";

/** Finds out which agent calls. Whoever is none hears the same, whatever is wrong. */
export interface Callers {
  /** An agent that is to be served. */
  identify(context: CallContext): Promise<Caller>;
  /** One that may renew: also with an identity that has expired a while ago, or that a restore has made unknown. */
  identifyRenewing(context: CallContext): Promise<RenewingCaller>;
  /** Counts a call without identity; throws when there were too many from its address. */
  count(context: CallContext): Origin;
  refused(origin: Origin, what: string, fault: Fault): Promise<void>;
}

export interface Caller extends KnownAgent {
  /** What it showed: the hash of its certificate or of its bearer token. */
  readonly shown: Buffer;
}

interface RenewingCaller extends Pick<Caller, "uid" | "shown"> {
  /** Set when the database was restored from a backup that did not know what it showed: until when that is good. */
  readonly unknownUntil?: AgentIdentity["expiresAt"];
}

export interface CallersOptions {
  readonly database: Database;
  readonly authority: Authority;
  readonly enrolment: Enrolment;
  readonly limiter: Limiter;
  readonly perMinute: number;
  readonly recordRefused: RecordRefused;
}

/** A call with the old identity may be under way while the first one with the new arrives: that is no clone yet. */
const cloneGraceMs = 60_000;
const renewableMs = renewableDays * 86_400_000;

export function openCallers(options: CallersOptions): Callers {
  const { database, authority, enrolment, limiter, recordRefused } = options;
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
  async function known(context: CallContext, use?: "renew"): Promise<Caller | undefined> {
    const shown = shownBy(context);
    const agent = shown && (await findAgent(database, shown));
    if (shown === undefined || agent === undefined) return undefined;
    if (agent.revoked) return refuse(context, "this agent was revoked");
    if (!agent.current && agent.used) {
      if (agent.usedForMs > cloneGraceMs) await enrolment.cloned(agent.uid);
      return refuse(context, "this identity was replaced by a newer one, which is in use");
    }
    if (agent.expired && !(use === "renew" && agent.expiredForMs < renewableMs))
      throw new Fault("precondition", "this identity has expired", { next: "renew it first" });
    if (agent.current && !agent.used) await markIdentityUsed(database, agent.uid, shown);
    return { ...agent, shown };
  }

  /** Whom only the authority's signature vouches for, as its last renewal came after the backup that this database is of. */
  async function unknown(context: CallContext): Promise<RenewingCaller | undefined> {
    const [shown, certificate] = [shownBy(context), context.values.get(callerCertificate)];
    // A bearer token that no row tells of proves nothing.
    if (shown === undefined || certificate === undefined || !shown.equals(hashOf(certificate)))
      return undefined;
    const certified = authority.agentOf(certificate);
    if (certified === undefined || Date.now() - certified.expiresAt.getTime() > renewableMs) return undefined;
    const { uid, issuedAt, expiresAt } = certified;
    const agent = await findBackedUpAgent(database, uid, issuedAt);
    if (agent === undefined) return undefined;
    if (agent.revoked) return refuse(context, "this agent was revoked");
    if (agent.renewed) {
      // Of this one and of the one that the backup knew, one is a copy.
      await enrolment.cloned(uid);
      return refuse(context, "another has renewed since the restore, by an older identity");
    }
    return { uid, shown, unknownUntil: expiresAt.toISOString() };
  }

  const nobody = "this is not the identity of an agent";
  return {
    count,
    refused: (origin, what, fault) => recordRefused(origin, what, fault.message),
    identify: async (context) => (await known(context)) ?? refuse(context, nobody),
    identifyRenewing: async (context) =>
      (await known(context, "renew")) ?? (await unknown(context)) ?? refuse(context, nobody),
  };
}

/** Behind a proxy that ends TLS the certificate is the proxy's, if any: a bearer token goes before it. */
function shownBy({ values, requestHeader }: CallContext): Buffer | undefined {
  const bearer = /^Bearer +(\S{1,500})$/i.exec(requestHeader.get("authorization") ?? "")?.[1];
  if (bearer !== undefined) return createHash("sha256").update(bearer).digest();
  const certificate = values.get(callerCertificate);
  return certificate && hashOf(certificate);
}

function hashOf({ fingerprint256 }: X509Certificate): Buffer {
  return Buffer.from(fingerprint256.replaceAll(":", ""), "hex");
}
