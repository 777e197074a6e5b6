import type { RouteAnswer, Tools } from "@reeve/control";
import { Fault, type Origin } from "@reeve/model";
import { readSignIn } from "../store/index.ts";
import { isPassword, pretendToCheck } from "./password-hash.ts";
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
  const row = await readSignIn(tools.database, user);
  const right = row?.hash == null ? await pretendToCheck(password) : await isPassword(password, row.hash);
  if (right && row !== undefined && !row.disabled)
    return openSession(tools, {
      userUid: row.uid,
      userName: user,
      factors: ["password"],
      origin,
      agent,
      carry,
    });
  const fault = new Fault("unauthenticated", "the name or the password is wrong", {
    next: "try again; an owner can set a new password",
  });
  await tools.lane.submit({
    author: { caller: undefined, origin, reason: "" },
    needs: [],
    decide: () => ({
      writes: [],
      audit: [{ kind: "User", scope: "", name: user, operation: "sign-in", outcome: "denied" }],
      refusal: fault,
    }),
  });
  throw fault;
}
