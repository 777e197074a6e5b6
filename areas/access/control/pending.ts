import { type RouteAnswer, record, type Tools } from "@reeve/control";
import { Fault, type Origin } from "@reeve/model";
import { findTicket, insertTicket, listFactors, type Ticket, useTicket } from "../store/index.ts";
import { beginAttempt, rightAttempt } from "./attempts.ts";
import { denyUser } from "./deny.ts";
import { askForPasskey } from "./passkeys.ts";
import { checkSecond, once, type SecondProof } from "./second-factor.ts";
import { digest, newSecret } from "./secrets.ts";
import { type Opening, openSession } from "./sessions.ts";

/** The first step of a sign-in is done; its second has to follow within minutes, by whoever holds this secret. */
export async function pendSignIn(tools: Tools, opening: Opening): Promise<RouteAnswer> {
  const { userUid, userName, factors, origin, carry } = opening;
  const secret = newSecret("pending");
  const ticket = { hash: secret.hash, userUid, detail: { user: userName, factors: [...factors], carry } };
  let expiresAt = "";
  const deed = { kind: "User", scope: "", name: userName, operation: "first-step", detail: { factors } };
  await record(tools, { caller: undefined, origin }, deed, async (sql) => {
    await opening.also?.(sql);
    expiresAt = await insertTicket(sql, "sign-in", ticket);
  });
  const second = new Set((await listFactors(tools.database, userUid)).map(({ kind }) => kind));
  return { body: { user: userName, expiresAt, pending: secret.text, second: [...second] } };
}

/** The second step: a code or a passkey opens the session that the first step asked for. */
export async function finishSignIn(
  tools: Tools,
  { pending, ...proof }: { pending: string } & SecondProof,
  origin: Origin,
  agent: string,
): Promise<RouteAnswer> {
  const ticket = await findPending(tools, pending);
  const { userUid, user, factors, carry } = ticket;
  const attempt = { what: "code", user, from: origin.address } as const;
  if (proof.passkey === undefined) await beginAttempt(tools, attempt);
  const proved = await checkSecond(tools, userUid, proof);
  if (proved === undefined)
    return denyUser(
      tools,
      { origin },
      { user, operation: "sign-in" },
      new Fault("unauthenticated", "the code or the passkey is not right", {
        next: "use the code that is shown now (each works once), or one of your recovery codes",
      }),
    );
  if (proof.passkey === undefined) await rightAttempt(tools, attempt);
  return openSession(tools, {
    userUid,
    userName: user,
    factors: [...factors, proved.factor],
    origin,
    agent,
    carry,
    async also(sql) {
      await once((within) => useTicket(within, ticket))(sql);
      await proved.use(sql);
    },
  });
}

/** What a browser needs to answer with a passkey: in the second step one of that user's, else any it has for us. */
export async function signInChallenge(tools: Tools, pending: string | undefined): Promise<RouteAnswer> {
  const userUid = pending === undefined ? null : (await findPending(tools, pending)).userUid;
  return { body: await askForPasskey(tools, userUid) };
}

async function findPending(
  tools: Tools,
  secret: string,
): Promise<Ticket & { userUid: string; user: string; factors: string[]; carry: Opening["carry"] }> {
  const ticket = await findTicket(tools.database, "sign-in", digest(secret));
  if (ticket?.userUid == null)
    throw new Fault(
      "unauthenticated",
      "this sign-in is over: it was finished, or took longer than 10 minutes",
      {
        next: "sign in again",
      },
    );
  const detail = ticket.detail as { user: string; factors: string[]; carry: Opening["carry"] };
  return { ...ticket, userUid: ticket.userUid, ...detail };
}
