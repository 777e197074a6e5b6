import type { HandlerContext } from "@connectrpc/connect";
import { Fault } from "@reeve/model";
import type { RenewRequest } from "@reeve/protocol";
import { renewIdentity } from "@reeve/store";
import type { Enrolling } from "./enrol.ts";
import { askedFor, issueIdentity } from "./identities.ts";

/** A new identity for the one that was shown, which works until the new one is used. */
export async function renew(enrolling: Enrolling, request: RenewRequest, context: HandlerContext) {
  const { database, authority, callers, bearers } = enrolling;
  const { uid, shown } = await callers.identify(context, "renew");
  // It may renew because the authority is another one, which this replica has not heard of yet.
  await authority.refresh();
  const issued = issueIdentity(authority, uid, askedFor(request.signingRequest, bearers));
  const identityGeneration = await database.transact((sql) => renewIdentity(sql, uid, shown, issued));
  if (identityGeneration === undefined)
    throw new Fault("unauthenticated", "this identity was replaced by a newer one meanwhile");
  return { ...issued.answer, identityGeneration };
}
