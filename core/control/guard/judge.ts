import {
  allows,
  type Caller,
  Fault,
  type Kind,
  matches,
  type Permission,
  permissionOf,
  type Scope,
} from "@reeve/model";
import type { Stored } from "@reeve/store";
import type { Controller } from "../controller.ts";
import { listVisibility, readRefusal, refusal, scopeAsked } from "./authorise.ts";
import { ownRule } from "./own.ts";

export interface Matter {
  readonly kind: Kind;
  readonly verb: string;
  readonly scope: Scope;
  /** Without one: any resource of the kind there. */
  readonly name?: string | undefined;
  readonly controller?: Controller | undefined;
  readonly resource?: Stored | undefined;
}

/** What would happen, and by which of the rules: a role, because it is the caller's own, or because it is on the way. */
export interface Judgement {
  readonly permission: Permission;
  /** Where a role would have to give it. */
  readonly scope: Scope;
  readonly by: "role" | "own" | "way" | undefined;
}

/** Answers by the same rules as the operations themselves, so that it is always what would happen. */
export function judge(caller: Caller, matter: Matter): Judgement {
  const { kind, verb, name = "" } = matter;
  const anywhere = matter.name === undefined && kind.opensScope && verb !== "create";
  const scope = anywhere ? matter.scope : scopeAsked(kind, verb, { scope: matter.scope, name });
  const permission = permissionOf(kind, verb);
  const held = allows(caller.grants, permission, scope);
  const by = held ? "role" : matter.name === undefined ? byAny(caller, matter) : byOne(caller, matter, name);
  return { permission, scope, by };
}

function byOne(caller: Caller, { kind, verb, scope, controller, resource }: Matter, name: string) {
  const what = { kind, at: { kind: kind.name, scope, name }, controller, resource };
  if (refusal(caller, { ...what, verb }) === undefined) return "own";
  return verb === "read" && readRefusal(caller, what) === undefined ? "way" : undefined;
}

function byAny(caller: Caller, { kind, verb, scope, controller }: Matter) {
  if (verb === "read") return byList(caller, kind, scope, controller);
  const mine = ownRule(caller, controller);
  if (mine === undefined || !mine.verbs.includes(verb)) return undefined;
  // What is not known of the resource yet could still make it the caller's own; a term that nothing meets could not.
  const could = mine.terms(caller.subject).every((term) => {
    if (term.key === "metadata.scope") return matches([term], { "metadata.scope": scope });
    return term.test !== "in" || term.values.length > 0;
  });
  return could ? "own" : undefined;
}

function byList(caller: Caller, kind: Kind, scope: Scope, controller: Controller | undefined) {
  try {
    return listVisibility(caller, kind, scope, false, controller).mine ? "own" : "way";
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
