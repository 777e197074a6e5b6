import { type Context, forbidden, type Judgement, judge, notFoundScope, refuse } from "@reeve/control";
import {
  allows,
  type Caller,
  contains,
  Fault,
  type Grant,
  installationPermissions,
  invalidField,
  type Kind,
  lastPart,
  mayKnow,
  narrowingOf,
  type Origin,
  type Permission,
  parentScope,
  parseScope,
  runPermission,
  runVerbs,
  type Scope,
  type Subject,
  scopeParts,
  showScope,
  showSubject,
  verbsOf,
} from "@reeve/model";
import { findResources, readGeneration, readResource, type Stored } from "@reeve/store";
import type { SubjectRef } from "../kinds/index.ts";
import { readGrants } from "./identity.ts";
import { barredBy } from "./made-for.ts";
import { allowsOf } from "./named-role.ts";
import { subjectAddress, subjectIn } from "./subject.ts";

export interface Asker {
  readonly caller: Caller;
  readonly origin: Origin;
}

export interface Question {
  readonly verb: string;
  readonly kind: string;
  readonly scope: string;
  readonly name?: string | undefined;
  /** Somebody else than the caller. */
  readonly as?: SubjectRef | undefined;
}

/** Whether a subject may do something, by which bindings, or which roles would let it. */
export async function explain(context: Context, asking: Asker, question: Question) {
  const { caller: asker } = asking;
  const scope = parseScope(question.scope);
  const judgeFor = await judging(context, question, scope);
  const caller = question.as === undefined ? asker : await other(context, asking, question.as, scope);
  const judged = judgeFor(caller);
  const { permission, by } = judged;
  const chain = caller.grants.filter(
    (grant) => grant.role.allows.has(permission) && contains(grant.scope, judged.scope),
  );
  const links = await Promise.all(chain.map((grant) => link(context, asker, caller.subject, grant)));
  const barred = by === undefined ? barredBy(narrowingOf(caller) ?? {}, permission, judged.scope) : undefined;
  const noRole = by === undefined && barred === undefined;
  return {
    subject: showSubject(caller.subject),
    allowed: by !== undefined,
    permission,
    scope: judged.scope,
    why: barred ?? because(by, links[0], permission, judged.scope),
    chain: links,
    wouldGive: noRole ? await rolesWith(context, asker, permission, judged.scope) : [],
  };
}

/** The same for many questions of the caller's own, without the reasons: what a page needs to know which buttons work. */
export function judgeMany(context: Context, caller: Caller, questions: readonly Question[]) {
  return Promise.all(
    questions.map(async (question, index) => {
      try {
        const judgeFor = await judging(context, question, parseScope(question.scope));
        const { permission, scope, by } = judgeFor(caller);
        return { allowed: by !== undefined, permission, scope };
      } catch (error) {
        throw error instanceof Fault ? ofQuestion(error, index) : error;
      }
    }),
  );
}

/** The fault of one question among many: its fields are named by their place in the list. */
function ofQuestion(fault: Fault, index: number): Fault {
  const errors = fault.errors.map(({ pointer, message }) => ({
    pointer: `/questions/${index}${pointer}`,
    message,
  }));
  const next = fault.next === undefined ? {} : { next: fault.next };
  return new Fault(fault.kind, `question ${index + 1}: ${fault.message}`, { errors, ...next });
}

function judging(context: Context, question: Question, scope: Scope) {
  if (isOfRuns(question)) return judgeRuns(question, scope);
  const own = installationPermissions.find((one) => one === `${question.kind}:${question.verb}`);
  return own === undefined ? judgeKind(context, question, scope) : heldIn(own, scope);
}

/** Runs are no kind of resource: rights over a run are those held in its scope. */
function isOfRuns({ kind }: Question): boolean {
  return /^runs?$/i.test(kind);
}

function judgeRuns({ verb, name }: Question, scope: Scope) {
  const known = runVerbs.find((one) => one === verb);
  if (known === undefined)
    throw invalidField(
      "/verb",
      `runs have no verb ${JSON.stringify(verb)}`,
      `their verbs are ${runVerbs.join(", ")}; whether one may begin a run is asked of its workflow: trigger`,
    );
  if (name !== undefined)
    throw invalidField(
      "/name",
      "rights over a run are those held in its scope",
      "ask for runs in that scope",
    );
  return heldIn(runPermission(known), scope);
}

/** Of what is no resource: by a role that reaches the scope, and nothing else. */
function heldIn(permission: Permission, scope: Scope) {
  return (caller: Caller): Judgement => ({
    permission,
    scope,
    by: allows(caller.grants, permission, scope) ? "role" : undefined,
  });
}

async function judgeKind(context: Context, question: Question, scope: Scope) {
  const { verb, name } = question;
  const kind = kindOf(context, question);
  const resource =
    name === undefined ? undefined : await readResource(context.database, { kind: kind.name, scope, name });
  const controller = context.controllers.get(kind.name);
  return (caller: Caller): Judgement => judge(caller, { kind, verb, scope, name, controller, resource });
}

type Link = Awaited<ReturnType<typeof link>>;

function because(
  by: string | undefined,
  first: Link | undefined,
  permission: Permission,
  scope: Scope,
): string {
  if (by === "own") return "without a role, for what is one's own";
  if (by === "way") return "without a role, for the scopes on the way to one where a role is held";
  if (by === undefined || first === undefined) return `no role gives ${permission} in ${showScope(scope)}`;
  const group = first.group === undefined ? "" : `, as a member of the group ${first.group}`;
  return `the role ${first.role} by the binding ${first.binding}${group}`;
}

/** One way by which a right is held: binding, group, role. Of bindings above, people of an organization learn only that they are. */
async function link(
  context: Context,
  asker: Caller,
  subject: Subject,
  { scope, role, binding, group }: Grant,
) {
  const held = { scope, role: role.name };
  const known = asker.subject.uid === subject.uid || allows(asker.grants, "rolebindings:read", scope);
  if (!known) return { ...held, binding: `one in ${showScope(scope)} that you may not read` };
  // A token may hold in a scope below what was bound above it.
  const at = { kind: "RoleBinding", scope: parentScope(binding), name: lastPart(binding) };
  const found = await readResource(context.database, at);
  const written =
    found && (await readGeneration(context.database, found.metadata.uid, found.metadata.generation));
  return {
    ...held,
    binding,
    ...(group === undefined ? {} : { group }),
    ...(written === undefined ? {} : { by: written.author, at: written.at }),
  };
}

/** The roles that would give a permission if they were bound at the scope or above it. */
async function rolesWith(
  { database, roles }: Context,
  asker: Caller,
  permission: Permission,
  scope: Scope,
): Promise<string[]> {
  const builtin = Object.values(roles).filter((role) => role.allows.has(permission));
  const scopes = [...new Set([scopeParts(scope)[0] ?? "", ""])].filter((one) =>
    allows(asker.grants, "roles:read", one),
  );
  const custom = await findResources(database, "Role", [
    { key: "metadata.scope", test: "in", values: scopes },
  ]);
  const fitting = custom.filter((role: Stored) => allowsOf(role).has(permission));
  return [...builtin.map((role) => role.name), ...fitting.map((role) => role.metadata.name)];
}

/** What another may do is told to whoever may explain access in that scope. */
async function other(context: Context, asker: Asker, as: SubjectRef, scope: Scope): Promise<Caller> {
  const { caller } = asker;
  if (!allows(caller.grants, "access:explain", scope)) {
    const fault = mayKnow(caller.grants, scope) ? forbidden("access:explain", scope) : notFoundScope(scope);
    await refuse(context, asker, "explain", subjectAddress(as, scope), fault);
  }
  const at = subjectAddress(as, scope);
  const found = await readResource(context.database, at);
  const subject = subjectIn({ get: () => found }, at, { caller, known: [], pointer: "/as" });
  if (subject.spec.disabled === true)
    throw new Fault("precondition", `${at.kind} ${at.name} is disabled and can do nothing`);
  const { uid } = subject.metadata;
  return {
    subject: { kind: as.kind, scope: at.scope, name: at.name, uid },
    via: { kind: "system", id: "explain" },
    grants: await readGrants(context, uid),
  };
}

function kindOf({ registry }: Context, { kind: word, verb }: Question): Kind {
  const kind = registry.find(word) ?? registry.byName(word);
  const verbs = verbsOf(kind).join(", ");
  if (!verbsOf(kind).includes(verb))
    throw invalidField("/verb", `${kind.name} has no verb ${JSON.stringify(verb)}`, `its verbs are ${verbs}`);
  return kind;
}
