import type { RouteAnswer, Tools } from "@reeve/control";
import { type JsonObject, newUid, type Origin, type Subject, type Uid } from "@reeve/model";
import { type Address, readResource, type Stored, type View } from "@reeve/store";
import type { TrustedIssuerSpec } from "../../kinds/index.ts";
import { insertWorkloadToken, useJti } from "../../store/index.ts";
import { digest, newSecret } from "../secrets.ts";
import type { IssuerKeys } from "./issuer-keys.ts";
import { accountAddress } from "./trusted-issuer.ts";
import { fits, Unproven, verifyWorkload, type Workload } from "./verify.ts";

export interface Exchange {
  /** The TrustedIssuer. */
  readonly at: Address;
  readonly token: string;
}

/** A token of an external issuer for a short-lived one of ours. Why one is refused is told to owners, not to whoever sent it. */
export async function exchange(
  tools: Tools,
  keysOf: IssuerKeys,
  { at, token }: Exchange,
  origin: Origin,
): Promise<RouteAnswer> {
  const trusted = await readResource(tools.database, at);
  try {
    if (trusted === undefined) throw new Unproven("there is no such TrustedIssuer");
    const spec = trusted.spec as TrustedIssuerSpec;
    const workload = await verifyWorkload(keysOf, token, spec);
    const rule = spec.rules.find((one) => fits(one.claims, workload.claims));
    if (rule === undefined) throw new Unproven(`no rule fits ${workload.subject}`);
    const account = await readResource(tools.database, accountAddress(rule, at.scope));
    if (account === undefined) throw new Unproven(`the account ${rule.serviceAccount.name} is not there`);
    return await giveToken(tools, { trusted, account, workload }, origin);
  } catch (error) {
    if (error instanceof Unproven) return refuse(tools, { at, uid: trusted?.metadata.uid, error }, origin);
    throw error;
  }
}

interface Proven {
  readonly trusted: Stored;
  readonly account: Stored;
  readonly workload: Workload;
}

async function giveToken(
  tools: Tools,
  { trusted, account, workload }: Proven,
  origin: Origin,
): Promise<RouteAnswer> {
  const { tokenMinutes } = trusted.spec as TrustedIssuerSpec;
  const secret = newSecret("workload");
  const id = newUid();
  const at = addressOf(trusted);
  const { scope, name, uid } = account.metadata;
  const subject: Subject = { kind: "ServiceAccount", scope, name, uid };
  await tools.lane.submit({
    author: { caller: { subject, via: { kind: "token", id }, grants: [] }, origin, reason: "" },
    needs: [at, addressOf(account)],
    decide(view) {
      checkUnchanged(view, trusted, account);
      const detail: JsonObject = { workload: workload.subject, account: name };
      return {
        writes: [],
        audit: [{ ...at, uid: trusted.metadata.uid, operation: "exchange", outcome: "done", detail }],
        async also(sql) {
          const { jti, endsAt } = workload;
          if (jti !== undefined && !(await useJti(sql, trusted.metadata.uid, digest(jti), endsAt)))
            throw new Unproven(`the token of ${workload.subject} was exchanged before`);
          await insertWorkloadToken(sql, {
            id,
            hash: secret.hash,
            issuerUid: trusted.metadata.uid,
            issuerGeneration: trusted.metadata.generation,
            accountUid: uid,
            scope: at.scope,
            workload: workload.subject,
            minutes: tokenMinutes,
            address: origin.address,
          });
        },
      };
    },
  });
  return {
    body: {
      access_token: secret.text,
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: tokenMinutes * 60,
    },
  };
}

function checkUnchanged(view: View, trusted: Stored, account: Stored): void {
  const now = view.get(addressOf(trusted));
  const subject = view.get(addressOf(account));
  const same =
    now?.metadata.uid === trusted.metadata.uid && now.metadata.generation === trusted.metadata.generation;
  if (!same || now.metadata.deletingAt !== undefined) throw new Unproven("the TrustedIssuer has changed");
  const works = subject?.metadata.uid === account.metadata.uid && subject.metadata.deletingAt === undefined;
  if (!works || subject.spec.disabled) throw new Unproven(`the account ${account.metadata.name} is disabled`);
}

async function refuse(
  tools: Tools,
  { at, uid, error }: { at: Address; uid: Uid | undefined; error: Unproven },
  origin: Origin,
): Promise<never> {
  const { why } = error;
  await tools.lane.submit({
    author: { caller: undefined, origin, reason: "" },
    needs: [],
    decide: () => ({
      writes: [],
      audit: [{ ...at, operation: "exchange", outcome: "denied", detail: { why } }],
      ...(uid === undefined
        ? {}
        : { events: [{ uid, tone: "warning", reason: "ExchangeRefused", message: why }] }),
      refusal: error,
    }),
  });
  throw error;
}

function addressOf({ kind, metadata: { scope, name } }: Stored): Address {
  return { kind, scope, name };
}
