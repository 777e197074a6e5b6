import type { RouteAnswer, RouteRequest, Tools } from "@reeve/control";
import { type Caller, Fault, invalidField } from "@reeve/model";
import { hasFactor, readSignIn } from "../store/index.ts";
import { beginAttempt, rightAttempt } from "./attempts.ts";
import { denyUser } from "./deny.ts";
import { isPassword } from "./password-hash.ts";
import { checkSecond, type Proved, type SecondProof } from "./second-factor.ts";
import { type Confirmation, confirmSession } from "./sessions.ts";
import { who } from "./who.ts";

export type Proof = SecondProof & { readonly password?: string | undefined };

/** The person at a session proves anew to be that person, with the strongest they have: what is sensitive asks for it. */
export async function confirm(
  tools: Tools,
  { caller: maybe, carried, origin, body }: RouteRequest<Proof>,
): Promise<RouteAnswer> {
  const caller = who(maybe);
  const user = caller.subject.name;
  const second = await hasFactor(tools.database, caller.subject.uid);
  const given = !second ? "password" : body.passkey !== undefined ? "passkey" : "code";
  if (body[given] === undefined)
    throw invalidField(
      `/${given}`,
      second ? "you have a second factor: give its code, or use your passkey" : "give your password",
    );
  const attempt = given === "passkey" ? undefined : ({ what: given, user, from: origin.address } as const);
  if (attempt !== undefined) await beginAttempt(tools, attempt);
  const proved = second
    ? await checkSecond(tools, caller.subject.uid, body)
    : await checkPassword(tools, caller, body.password ?? "");
  if (proved === undefined)
    return denyUser(
      tools,
      { caller, origin },
      { user, operation: "confirm" },
      invalidField(`/${given}`, "it is wrong"),
    );
  if (attempt !== undefined) await rightAttempt(tools, attempt);
  const confirmation: Confirmation = { operation: "confirm", factors: [proved.factor], also: proved.use };
  return confirmSession(tools, { caller, origin, carry: carried ?? "bearer" }, confirmation);
}

async function checkPassword(
  tools: Tools,
  { subject }: Caller,
  password: string,
): Promise<{ factor: "password"; use: Proved["use"] } | undefined> {
  const row = await readSignIn(tools.database, subject.name);
  if (row?.hash == null)
    throw new Fault("precondition", "you have no password here, and no second factor", {
      next: "sign in anew the way you did, or add a second factor after that",
    });
  const right = await isPassword(password, row.hash);
  return right ? { factor: "password", use: async () => {} } : undefined;
}
