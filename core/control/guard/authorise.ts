import {
  allows,
  type Caller,
  childScope,
  contains,
  Fault,
  fieldValues,
  grantedScopes,
  type Kind,
  matches,
  mayKnow,
  type Permission,
  parentScope,
  permissionOf,
  type Scope,
  showScope,
} from "@reeve/model";
import type { Address, Stored, Visible } from "@reeve/store";
import type { Controller } from "../controller.ts";
import { ownRule } from "./own.ts";

/** The scope at which rights over a resource are looked up: a Project's rights hold in the scope that it opens. */
export function rightsScope(kind: Kind, at: Pick<Address, "scope" | "name">): Scope {
  return kind.opensScope ? childScope(at.scope, at.name) : at.scope;
}

/**
 * Whether the caller may do this to this resource; the Fault to refuse with if not. Who may not read it hears that it is
 * not there, exactly as if it were not.
 */
export function refusal(
  caller: Caller | undefined,
  what: {
    kind: Kind;
    verb: string;
    at: Address;
    controller?: Controller | undefined;
    resource?: Stored | undefined;
  },
): Fault | undefined {
  if (caller === undefined) return unauthenticated();
  const { kind, verb, at } = what;
  const scope = scopeAsked(kind, verb, at);
  const permission = permissionOf(kind, verb);
  if (allows(caller.grants, permission, scope)) return undefined;
  if (isMine(caller, what)) return undefined;
  const known = verb === "create" ? mayKnow(caller.grants, at.scope) : mayRead(caller, what);
  return known ? forbidden(permission, scope) : notFound(at);
}

/** The scope in which a verb must be allowed. */
export function scopeAsked(kind: Kind, verb: string, at: Pick<Address, "scope" | "name">): Scope {
  if (kind.limitsScope && verb !== "read") return parentScope(at.scope);
  // Nobody holds a role in a scope that does not exist yet, so creating is asked of the scope around it.
  return verb === "create" ? at.scope : rightsScope(kind, at);
}

function mayRead(caller: Caller, what: Parameters<typeof refusal>[1]): boolean {
  return (
    allows(caller.grants, permissionOf(what.kind, "read"), rightsScope(what.kind, what.at)) ||
    isMine(caller, { ...what, verb: "read" }) ||
    (what.kind.opensScope === true && opensTheWay(caller, what.at))
  );
}

/** A scope may be read by whoever holds a role in it or somewhere below it: how else would they find their way there. */
function opensTheWay(caller: Caller, at: Address): boolean {
  const opened = childScope(at.scope, at.name);
  return caller.grants.some((grant) => contains(opened, grant.scope));
}

/** Reading has one more way than other verbs: the scopes on the way to one's own. */
export function readRefusal(
  caller: Caller | undefined,
  what: Omit<Parameters<typeof refusal>[1], "verb">,
): Fault | undefined {
  const refused = refusal(caller, { ...what, verb: "read" });
  if (refused !== undefined && caller !== undefined && what.kind.opensScope && opensTheWay(caller, what.at))
    return undefined;
  return refused;
}

function isMine(caller: Caller, what: Parameters<typeof refusal>[1]): boolean {
  const mine = ownRule(caller, what.controller);
  if (mine === undefined || what.resource === undefined || !mine.verbs.includes(what.verb)) return false;
  return matches(mine.terms(caller.subject), fieldValues(what.resource, what.kind.fields ?? []));
}

/** What a list may show: everything, the caller's scopes, or nothing but a 404. */
export function listVisibility(
  caller: Caller | undefined,
  kind: Kind,
  scope: Scope,
  deep: boolean,
  controller: Controller | undefined,
): { visible: Visible; mine: boolean } {
  if (caller === undefined) throw unauthenticated();
  const permission = permissionOf(kind, "read");
  if (allows(caller.grants, permission, scope)) return { visible: "all", mine: false };
  const below = grantedScopes(caller.grants, permission).filter(
    (granted) => scope === "" || granted.startsWith(`${scope}/`),
  );
  if (kind.opensScope && (scope === "" || mayKnow(caller.grants, scope)))
    return {
      visible: {
        scopes: grantedScopes(caller.grants, permission),
        wayTo: caller.grants.map((grant) => grant.scope),
      },
      mine: false,
    };
  if (deep && below.length > 0) return { visible: { scopes: below }, mine: false };
  if (ownRule(caller, controller)?.verbs.includes("read")) return { visible: "all", mine: true };
  if (mayKnow(caller.grants, scope)) throw forbidden(permission, scope);
  throw notFoundScope(scope);
}

export function unauthenticated(): Fault {
  return new Fault("unauthenticated", "sign in first", {
    next: "send a token as `Authorization: Bearer …`; get one with `reeve login` or `reeve token create`",
  });
}

export function forbidden(permission: Permission, scope: Scope): Fault {
  return new Fault("forbidden", `this needs the permission ${permission} in ${showScope(scope)}`, {
    next: "ask an owner of the scope for a role that has it; `reeve auth whoami` shows your roles",
  });
}

export function notFound(at: Address): Fault {
  return new Fault("not_found", `there is no ${at.kind} ${at.name} in ${showScope(at.scope)}`, {
    next: "check the name and the scope; what you may not read is not shown either",
  });
}

export function notFoundScope(scope: Scope): Fault {
  return new Fault("not_found", `there is no scope ${showScope(scope)}`, {
    next: "check the name; make the organization, project or workspace first if it is new",
  });
}
