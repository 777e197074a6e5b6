import type { ActionPlan, ActionRequest, Admission, Controller, LookAt, Tools } from "@reeve/control";
import {
  type Caller,
  Fault,
  isNarrower,
  type Kind,
  type Narrowing,
  narrowingOf,
  type Outcome,
  type Subject,
  showScope,
} from "@reeve/model";
import { readNow, type Stored } from "@reeve/store";
import type { SubjectRef } from "../kinds/index.ts";
import { writeCredential } from "../store/index.ts";
import { narrowingOfToken, withNarrowing } from "./made-for.ts";
import { refuseAbove } from "./outrank.ts";
import { newSecret } from "./secrets.ts";
import { ownedBy, subjectAddress, subjectIn } from "./subject.ts";

/** `kinds` are those of every area. */
export function tokenController(kinds: readonly Kind[]): Controller {
  return {
    kind: "Token",
    refers: ({ scope, spec }) => [subjectAddress(spec.subject as SubjectRef, scope)],
    admit: (admission) => withNarrowing({ ...admission, after: withOwner(admission) }, kinds),
    mine: { verbs: ["read", "create", "update", "delete", "issue"], terms: ownTokens },
    actions: { issue },
    reconcile: expire,
  };
}

function withOwner({ before, after, caller, view }: Admission): Stored {
  const at = subjectAddress(after.spec.subject as SubjectRef, after.metadata.scope);
  if (at.scope !== after.metadata.scope)
    throw new Fault(
      "invalid",
      `/metadata/scope: a token lives where its subject lives: ${showScope(at.scope)}`,
      {
        errors: [
          { pointer: "/metadata/scope", message: `expected ${at.scope === "" ? "no scope" : at.scope}` },
        ],
      },
    );
  const known = [before?.metadata.owner?.uid];
  const owner = ownedBy(subjectIn(view, at, { caller, known, pointer: "/spec/subject" }), before);
  if (before !== undefined && before.metadata.owner?.uid !== owner.uid)
    throw new Fault("precondition", "the subject of a token cannot be changed", { next: "make a new token" });
  return { ...after, metadata: { ...after.metadata, owner } };
}

/** People manage their own tokens without any role. */
function ownTokens(subject: Subject) {
  const values = subject.kind === "User" ? [subject.name] : [];
  return [
    { key: "spec.subject.kind", test: "in" as const, values: ["User"] },
    { key: "spec.subject.name", test: "in" as const, values },
    { key: "metadata.scope", test: "in" as const, values: [""] },
  ];
}

async function issue({ resource, caller }: ActionRequest, tools: Tools): Promise<ActionPlan> {
  const owner = resource.metadata.owner;
  if (owner === undefined)
    throw new Fault("precondition", "the token has no subject any more", { next: "make a new token" });
  if (owner.kind === "User" && owner.uid !== caller.subject.uid)
    throw new Fault("forbidden", "only a user can issue its own tokens", {
      next: "let the user do it, or use a service account",
    });
  // A subject asks for itself, too: it may have come by a token that reaches less far than it does.
  if (owner.kind === "ServiceAccount" || narrowingOf(caller) !== undefined)
    await refuseAbove(tools, caller, owner, narrowingOfToken(resource));
  refuseWider(caller, owner, narrowingOfToken(resource));
  const secret = newSecret("token");
  const { expiresAt } = resource.spec as { expiresAt?: string };
  if (expiresAt !== undefined && Date.parse(expiresAt) <= (await readNow(tools.database)))
    throw new Fault("precondition", `the token expired at ${expiresAt}`, {
      next: "give it a later expiresAt",
    });
  return {
    change: (now) => ({ ...now, status: { ...now.status, issuedAt: new Date().toISOString() } }),
    also: (sql) => writeCredential(sql, resource.metadata.uid, secret.hash),
    events: [
      {
        tone: "normal",
        reason: "Issued",
        message: `a new secret was issued; one issued before no longer works`,
      },
    ],
    output: () => ({ secret: secret.text, ...(expiresAt === undefined ? {} : { expiresAt }) }),
  };
}

/** What its subject holds today may lie within what the token reaches, but nobody knows what it will hold tomorrow. */
function refuseWider(caller: Caller, owner: { readonly uid: string }, narrowing: Narrowing): void {
  const own = narrowingOf(caller);
  if (own === undefined || owner.uid !== caller.subject.uid || isNarrower(narrowing, own)) return;
  throw new Fault(
    "forbidden",
    "this token was made for less than its subject has, and cannot issue one made for more",
    {
      next: "give the new token what this one has of within and allows, or less",
    },
  );
}

/** An expired token stops working by the database's clock; here it is taken away as well. */
async function expire({ resource, remove, tools }: LookAt): Promise<Outcome> {
  const { expiresAt } = resource.spec as { expiresAt?: string };
  if (expiresAt === undefined) return { kind: "done", why: "the token does not expire" };
  const leftMs = Date.parse(expiresAt) - (await readNow(tools.database));
  if (leftMs > 0)
    return {
      kind: "done",
      why: `expires at ${expiresAt}, then it is removed`,
      againInMs: Math.min(leftMs + 50, 86_400_000),
    };
  await remove(`expired at ${expiresAt}`);
  return { kind: "done", why: `expired at ${expiresAt} and was removed` };
}
