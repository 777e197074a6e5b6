import type { HandlerContext } from "@connectrpc/connect";
import { Fault } from "@reeve/model";
import type { RenewRequest } from "@reeve/protocol";
import { type AgentIdentity, renewBackedUpIdentity, renewIdentity } from "@reeve/store";
import type { Enrolling } from "./enrol.ts";
import { askedFor, issueIdentity } from "./identities.ts";

/** A new identity for the one that was shown, which works until the new one is used. */
export async function renew(enrolling: Enrolling, request: RenewRequest, context: HandlerContext) {
  const { database, authority, callers, bearers } = enrolling;
  const caller = await callers.identifyRenewing(context);
  // It may renew because the authority is another one, which this replica has not heard of yet.
  await authority.refresh();
  const issued = issueIdentity(authority, caller.uid, askedFor(request.signingRequest, bearers));
  const identityGeneration =
    caller.unknownUntil === undefined
      ? await database.transact((sql) => renewIdentity(sql, caller.uid, caller.shown, issued))
      : await renewUnknown(
          enrolling,
          caller.uid,
          { hash: caller.shown, expiresAt: caller.unknownUntil },
          issued,
        );
  if (identityGeneration === undefined)
    throw new Fault("unauthenticated", "this identity was replaced by a newer one meanwhile");
  return { ...issued.answer, identityGeneration };
}

async function renewUnknown(
  { enrolment }: Enrolling,
  uid: string,
  shown: Pick<AgentIdentity, "hash" | "expiresAt">,
  issued: AgentIdentity,
): Promise<number | undefined> {
  let generation: number | undefined;
  await enrolment.renewsAfterRestore(uid, async (sql) => {
    generation = await renewBackedUpIdentity(sql, uid, shown, issued);
    // Perhaps by itself, when it did not wait for the answer: then what it shows is known by now.
    if (generation === undefined)
      throw new Fault("conflict", "this agent has renewed meanwhile", { next: "try again" });
  });
  return generation;
}
