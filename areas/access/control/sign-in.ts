import type { RouteAnswer, Tools } from "@reeve/control";
import { Fault, type Json, newUid, type Origin, type Subject } from "@reeve/model";
import { insertSession, readSignIn } from "../store/index.ts";
import { isPassword, pretendToCheck } from "./password-hash.ts";
import { newSecret } from "./secrets.ts";

const sessionDays = 30;

export interface SignIn {
  readonly user: string;
  readonly password: string;
  readonly carry: "cookie" | "bearer";
}

/** Checks a password and opens a session. The answer and its time are the same for a wrong name and a wrong password. */
export async function signIn(
  tools: Tools,
  { user, password, carry }: SignIn,
  origin: Origin,
  agent: string,
): Promise<RouteAnswer> {
  const row = await readSignIn(tools.database, user);
  const right = row?.hash == null ? await pretendToCheck(password) : await isPassword(password, row.hash);
  const at = { kind: "User", scope: "", name: user };
  if (!right || row === undefined || row.disabled) {
    const fault = new Fault("unauthenticated", "the name or the password is wrong", {
      next: "try again; an owner can set a new password",
    });
    await tools.lane.submit({
      author: { caller: undefined, origin, reason: "" },
      needs: [],
      decide: () => ({
        writes: [],
        audit: [{ ...at, operation: "sign-in", outcome: "denied" }],
        refusal: fault,
      }),
    });
    throw fault;
  }
  const subject: Subject = { kind: "User", scope: "", name: user, uid: row.uid };
  const session = newSession(row.uid, origin, agent);
  await tools.lane.submit({
    author: {
      caller: { subject, via: { kind: "session", id: session.row.id }, grants: [] },
      origin,
      reason: "",
    },
    needs: [],
    decide: () => ({
      writes: [],
      audit: [{ ...at, operation: "sign-in", outcome: "done" }],
      also: (sql) => insertSession(sql, session.row),
    }),
  });
  return sessionAnswer(session, user, carry);
}

export function newSession(userUid: string, origin: Origin, agent: string) {
  const secret = newSecret("session");
  const expiresAt = new Date(Date.now() + sessionDays * 86_400_000).toISOString();
  return {
    secret: secret.text,
    row: { id: newUid(), hash: secret.hash, userUid, expiresAt, address: origin.address, agent },
  };
}

export function sessionAnswer(
  session: ReturnType<typeof newSession>,
  user: string,
  carry: "cookie" | "bearer",
): RouteAnswer {
  const body: Json = { user, expiresAt: session.row.expiresAt };
  if (carry === "cookie")
    return { body, cookie: { value: session.secret, maxAgeSeconds: sessionDays * 86_400 } };
  return { body: { ...body, token: session.secret } };
}
