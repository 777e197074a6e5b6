import { type RouteAnswer, type RouteRequest, record, type Tools } from "@reeve/control";
import { type Caller, Fault } from "@reeve/model";
import { linkIdentity, listIdentities, readSignIn, unlinkIdentity } from "../../store/index.ts";
import { denyForeign } from "../deny.ts";
import { who } from "../who.ts";
import { noteClaims } from "./claims.ts";
import { type HandOver, redeem } from "./hand-over.ts";
import { notAllowed } from "./sign-in-person.ts";

type Request<Body = unknown> = Pick<RouteRequest<Body>, "caller" | "body" | "params" | "origin">;

export async function showIdentities(tools: Tools, { caller }: Request): Promise<RouteAnswer> {
  const rows = await listIdentities(tools.database, who(caller).subject.uid);
  return { body: { items: rows.map((row) => ({ ...row })) } };
}

/** Links an identity with the user who asks: who is signed in, has just proved it, and has just been at the provider. */
export async function link(tools: Tools, { caller, body, origin }: Request<HandOver>): Promise<RouteAnswer> {
  const { subject } = person(caller);
  const { proof, provider } = await redeem(tools, body);
  const refused = notAllowed(provider, proof);
  if (refused !== undefined) throw refused;
  const detail = { provider: proof.provider, subject: proof.subject };
  const deed = { kind: "User", scope: "", name: subject.name, operation: "link", detail };
  await record(tools, { caller, origin }, deed, async (sql) => {
    if (await linkIdentity(sql, proof, subject.uid)) return;
    throw new Fault("exists", `this identity of ${proof.provider} is linked with a user already`, {
      next: "sign in with it, and unlink it there",
    });
  });
  await noteClaims(tools, subject, proof);
  return { body: detail };
}

export async function unlink(tools: Tools, { caller, params, origin }: Request): Promise<RouteAnswer> {
  const { subject } = person(caller);
  const id = params.id as string;
  const own = await listIdentities(tools.database, subject.uid);
  const identity = own.find((one) => one.id === id);
  if (identity === undefined)
    return denyForeign(tools, { caller, origin }, { kind: "Identity", name: id, operation: "unlink" });
  const signIn = await readSignIn(tools.database, subject.name);
  if (own.length === 1 && signIn?.hash == null)
    throw new Fault("precondition", "you could not sign in any more: this is your only way in", {
      next: "let an owner set a password for you first",
    });
  const detail = { provider: identity.provider, subject: identity.subject };
  const deed = { kind: "User", scope: "", name: subject.name, operation: "unlink", detail };
  await record(tools, { caller, origin }, deed, (sql) => unlinkIdentity(sql, subject.uid, identity.id));
  if (!own.some((one) => one.id !== id && one.provider === identity.provider))
    await noteClaims(tools, subject, { provider: identity.provider, groups: [] });
  return { body: {} };
}

function person(caller: Caller | undefined): Caller {
  const one = who(caller);
  if (one.subject.kind === "User") return one;
  throw new Fault("forbidden", "only people have identities", { next: "use a TrustedIssuer for programs" });
}
