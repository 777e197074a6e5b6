import { createHash } from "node:crypto";
import type { HandlerContext } from "@connectrpc/connect";
import { Fault, type JoinTokenText, readJoinToken } from "@reeve/model";
import type { EnrolRequest } from "@reeve/protocol";
import { type Database, findEnrolment, type HostOfAgent, insertAgent, reissueIdentity } from "@reeve/store";
import type { Authority } from "../../authority/authority.ts";
import type { Callers } from "./callers.ts";
import type { Enrolment } from "./enrolment.ts";
import { helloOf } from "./facts.ts";
import { type Asked, askedFor, issueIdentity } from "./identities.ts";

export interface Enrolling {
  readonly database: Database;
  readonly authority: Authority;
  readonly enrolment: Enrolment;
  readonly callers: Callers;
  /** Whether agents may come through a proxy, and so with bearer tokens. */
  readonly bearers: boolean;
}

/** Joins a machine; the one call without an identity. */
export async function enrol(enrolling: Enrolling, request: EnrolRequest, context: HandlerContext) {
  const origin = enrolling.callers.count(context);
  const asked = askedFor(request.signingRequest, enrolling.bearers);
  try {
    const token = readJoinToken(request.token);
    if (token === undefined) throw new Fault("unauthenticated", "token: this is not a join token");
    const enrolment = asked === "bearer" ? undefined : enrolmentOf(request.token, asked.publicKey);
    return (
      (enrolment && (await again(enrolling, enrolment, asked))) ??
      (await first(enrolling, { request, token, enrolment, asked, origin }))
    );
  } catch (error) {
    if (error instanceof Fault && error.kind === "unauthenticated")
      await enrolling.callers.refused(origin, "join-token", error);
    throw error;
  }
}

interface First {
  readonly request: EnrolRequest;
  readonly token: JoinTokenText;
  readonly enrolment: Buffer | undefined;
  readonly asked: Asked;
  readonly origin: ReturnType<Callers["count"]>;
}

async function first(
  { authority, enrolment: hosts }: Enrolling,
  { request, token, enrolment, asked, origin }: First,
) {
  const hello = helloOf(request.facts, 0);
  let joined: { issued: ReturnType<typeof issueIdentity>; generation: number } | undefined;
  const host = await hosts.join({
    token,
    origin,
    name: request.name,
    labels: request.labels,
    async write(sql, host) {
      const issued = issueIdentity(authority, host.uid, asked);
      joined = {
        issued,
        generation: await insertAgent(sql, { ...host, identity: issued, enrolment, hello }),
      };
    },
  });
  if (joined === undefined) throw new Fault("internal", "a host joined without its agent");
  return answer(host, joined.issued, joined.generation);
}

/** The same key with the same token: the answer was lost on its way. A token is not used twice for that. */
async function again({ database, authority }: Enrolling, enrolment: Buffer, asked: Asked) {
  const host = await findEnrolment(database, enrolment);
  if (host === undefined) return undefined;
  const issued = issueIdentity(authority, host.uid, asked);
  const done = await reissueIdentity(database, host.uid, issued);
  return done ? answer(host, issued, host.generation) : undefined;
}

function enrolmentOf(token: string, publicKey: Buffer): Buffer {
  return createHash("sha256").update(token).update(publicKey).digest();
}

function answer(
  { uid, scope, name }: Pick<HostOfAgent, "uid" | "scope" | "name">,
  { answer }: ReturnType<typeof issueIdentity>,
  identityGeneration: number,
) {
  return { hostUid: uid, scope, name, ...answer, identityGeneration };
}
