import type { RouteAnswer, Tools } from "@reeve/control";
import { Fault, type Origin } from "@reeve/model";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { readSignIn, readUserName } from "../store/index.ts";
import { beginAttempt, rightAttempt } from "./attempts.ts";
import { denyUser } from "./deny.ts";
import { checkPasskey } from "./passkeys.ts";
import { isPassword, pretendToCheck } from "./password-hash.ts";
import { once } from "./second-factor.ts";
import { type Carry, openSession } from "./sessions.ts";

export interface SignIn {
  readonly user: string;
  readonly password: string;
  readonly carry: Carry;
}

/** Checks a password and opens a session. The answer and its time are the same for a wrong name and a wrong password. */
export async function signIn(
  tools: Tools,
  { user, password, carry }: SignIn,
  origin: Origin,
  agent: string,
): Promise<RouteAnswer> {
  const attempt = { what: "password", user, from: origin.address } as const;
  await beginAttempt(tools, attempt);
  const row = await readSignIn(tools.database, user);
  const right = row?.hash == null ? await pretendToCheck(password) : await isPassword(password, row.hash);
  if (!right || row === undefined || row.disabled)
    return denyUser(
      tools,
      { origin },
      { user, operation: "sign-in" },
      new Fault("unauthenticated", "the name or the password is wrong", {
        next: "try again; an owner can set a new password",
      }),
    );
  await rightAttempt(tools, attempt);
  return openSession(tools, {
    userUid: row.uid,
    userName: user,
    factors: ["password"],
    origin,
    agent,
    carry,
  });
}

/** A passkey that has verified its holder says who they are and proves it: it needs no name and no password. */
export async function signInByPasskey(
  tools: Tools,
  { passkey, carry }: { passkey: AuthenticationResponseJSON; carry: Carry },
  origin: Origin,
  agent: string,
): Promise<RouteAnswer> {
  const proof = await checkPasskey(tools, passkey, null);
  const userName = proof && (await readUserName(tools.database, proof.userUid));
  if (proof === undefined || userName === undefined)
    return denyUser(
      tools,
      { origin },
      { user: userName ?? "", operation: "sign-in" },
      new Fault("unauthenticated", "this passkey is not known here, or did not verify who holds it", {
        next: "sign in with your name and password",
      }),
    );
  const { userUid, use } = proof;
  return openSession(tools, {
    userUid,
    userName,
    factors: ["passkey"],
    origin,
    agent,
    carry,
    also: once(use),
  });
}
