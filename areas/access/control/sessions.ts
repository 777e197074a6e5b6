import { type RouteAnswer, record, type Tools, unauthenticated } from "@reeve/control";
import { type Caller, newUid, type Origin, type Subject, type Via } from "@reeve/model";
import { readNow, type Sql } from "@reeve/store";
import { hasFactor, insertSession, type NewSession, renewSession } from "../store/index.ts";
import { pendSignIn } from "./pending.ts";
import { provesSecond } from "./second-factor.ts";
import { newSecret } from "./secrets.ts";

const sessionDays = 30;

export type Carry = "cookie" | "bearer";

export interface Opening {
  readonly userUid: string;
  readonly userName: string;
  /** How the person has proved to be that person: `password`, `totp`, `passkey`, `recovery`, `oidc`, `provider`. */
  readonly factors: readonly string[];
  readonly origin: Origin;
  readonly agent: string;
  readonly carry: Carry;
  /** Uses up what was proved with, in the same transaction. */
  readonly also?: (sql: Sql) => Promise<void>;
}

/**
 * Opens a session for somebody who has proved who they are: every way of signing in ends here. Who has a second factor and
 * has not used one gets no session yet, but the secret of a pending sign-in.
 */
export async function openSession(tools: Tools, opening: Opening): Promise<RouteAnswer> {
  const { userUid, userName, factors, origin } = opening;
  if (!provesSecond(factors) && (await hasFactor(tools.database, userUid))) return pendSignIn(tools, opening);
  const session = newSession(opening, await readNow(tools.database));
  const caller: Caller = { subject: userSubject(opening), via: viaOf(session), grants: [] };
  const deed = { kind: "User", scope: "", name: userName, operation: "sign-in", detail: { factors } };
  await record(tools, { caller, origin }, deed, async (sql) => {
    await opening.also?.(sql);
    await insertSession(sql, session.row);
  });
  return sessionAnswer(session, userName, opening.carry);
}

function userSubject({ userUid, userName }: Pick<Opening, "userUid" | "userName">): Subject {
  return { kind: "User", scope: "", name: userName, uid: userUid };
}

export interface Session {
  readonly secret: string;
  readonly row: NewSession;
}

/** `now` is the database's: another replica will tell by it how long ago this was. */
export function newSession(
  { userUid, factors, origin, agent }: Pick<Opening, "userUid" | "factors" | "origin" | "agent">,
  now: number,
): Session {
  const secret = newSecret("session");
  return {
    secret: secret.text,
    row: {
      id: newUid(),
      hash: secret.hash,
      userUid,
      factors,
      authenticatedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + sessionDays * 86_400_000).toISOString(),
      address: origin.address,
      agent,
    },
  };
}

export function viaOf({ row: { id, authenticatedAt, factors } }: Session): Via {
  return { kind: "session", id, authenticatedAt, fresh: true, factors };
}

export function sessionAnswer({ secret, row }: Session, user: string, carry: Carry): RouteAnswer {
  return carried(secret, { user, expiresAt: row.expiresAt }, carry);
}

/** What the person at a session has just proved, and what happens with it. */
export interface Confirmation {
  readonly operation: string;
  readonly factors: readonly string[];
  readonly detail?: { readonly [fact: string]: string };
  readonly also?: (sql: Sql) => Promise<void>;
}

/** The session proves anew, with `factors` beside those it had, and gets another secret; the old one works no more. */
export async function confirmSession(
  tools: Tools,
  { caller, origin, carry }: { caller: Caller; origin: Origin; carry: Carry },
  { operation, factors, detail, also }: Confirmation,
): Promise<RouteAnswer> {
  const { subject, via } = caller;
  const secret = newSecret("session");
  const before = via.kind === "session" ? via.factors : [];
  const proved = {
    hash: secret.hash,
    factors: [...new Set([...before, ...factors])],
    authenticatedAt: new Date(await readNow(tools.database)).toISOString(),
  };
  const at = { kind: "User", scope: "", name: subject.name };
  let expiresAt = "";
  const deed = { ...at, operation, detail: { factors, ...detail } };
  await record(tools, { caller, origin }, deed, async (sql) => {
    await also?.(sql);
    const session = await renewSession(sql, via.id, proved);
    if (session === undefined) throw unauthenticated();
    expiresAt = session.expiresAt;
  });
  tools.forget([subject.uid]);
  return carried(secret.text, { user: subject.name, expiresAt }, carry);
}

/** A secret leaves by the way it is to come back: in a cookie that no script can read, or in the body. */
function carried(secret: string, body: { user: string; expiresAt: string }, carry: Carry): RouteAnswer {
  const leftSeconds = Math.round((Date.parse(body.expiresAt) - Date.now()) / 1000);
  if (carry === "cookie") return { body, cookie: { value: secret, maxAgeSeconds: leftSeconds } };
  return { body: { ...body, token: secret } };
}
