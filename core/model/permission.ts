import { contains, type Scope } from "./scope.ts";

/** `plural:verb`, for example `projects:create` or `tokens:issue`. */
export type Permission = `${string}:${string}`;

export const commonVerbs = ["read", "create", "update", "delete"] as const;

/** Rights that belong to no kind. */
export const installationPermissions = [
  "installation:debug",
  "installation:metrics",
  "installation:keys",
  "access:explain",
  "audit:read",
  "terminals:replay",
] as const;

/** What may be done with runs. They are no kind of resource: rights over a run are those held in its scope. */
export const runVerbs = [
  "read",
  "logs",
  "cancel",
  "pause",
  "resume",
  "retry",
  "skip",
  "approve",
  "decide",
] as const;
export type RunVerb = (typeof runVerbs)[number];

export function runPermission(verb: RunVerb): Permission {
  return `runs:${verb}`;
}

export interface Role {
  readonly name: string;
  readonly summary: string;
  readonly allows: ReadonlySet<Permission>;
}

/** A role held at a scope; it reaches everything below that scope. */
export interface Grant {
  readonly scope: Scope;
  readonly role: Role;
  /** The role binding it comes from, for explanations. */
  readonly binding: string;
  /** The group that holds it, when the subject holds it as a member. */
  readonly group?: string;
}

export interface Subject {
  readonly kind: "User" | "ServiceAccount" | "System";
  readonly scope: Scope;
  readonly name: string;
  readonly uid: string;
}

export function sameSubject(a: Subject, b: Subject): boolean {
  return a.uid === b.uid;
}

export function showSubject(subject: { kind: string; scope: Scope; name: string }): string {
  const path = subject.scope === "" ? subject.name : `${subject.scope}/${subject.name}`;
  return `${subject.kind.toLowerCase()}:${path}`;
}

/** Nothing is allowed unless a grant at this scope or above says so. */
export function allows(grants: readonly Grant[], permission: Permission, scope: Scope): boolean {
  return grants.some((grant) => contains(grant.scope, scope) && grant.role.allows.has(permission));
}

/** The scopes at which a permission is granted, each once; everything below each of them is included. */
export function grantedScopes(grants: readonly Grant[], permission: Permission): Scope[] {
  const granting = grants.filter((grant) => grant.role.allows.has(permission));
  return [...new Set(granting.map((grant) => grant.scope))];
}

/** Whether the caller may know that this scope exists: something is granted at it, above it or below it. */
export function mayKnow(grants: readonly Grant[], scope: Scope): boolean {
  return grants.some((grant) => contains(grant.scope, scope) || contains(scope, grant.scope));
}

/** The first permission of `wanted` at `scope` that these grants do not hold: nobody hands out more than they have. */
export function firstMissing(
  grants: readonly Grant[],
  wanted: ReadonlySet<Permission>,
  scope: Scope,
): Permission | undefined {
  for (const permission of wanted) if (!allows(grants, permission, scope)) return permission;
  return undefined;
}

/** What a credential was made for, when that is less than its subject may: rights in this scope and below, and only these. */
export interface Narrowing {
  readonly within?: Scope;
  readonly allows?: readonly Permission[];
}

/** What is left of these grants for a credential that was made for less. */
export function narrowGrants(grants: readonly Grant[], { within = "", allows }: Narrowing): Grant[] {
  return grants.flatMap((grant) => {
    const scope = contains(within, grant.scope) ? grant.scope : within;
    const role = allows === undefined ? grant.role : narrowRole(grant.role, allows);
    // A grant of nothing would still tell that the scopes around it are there.
    return contains(grant.scope, scope) && role.allows.size > 0 ? [{ ...grant, scope, role }] : [];
  });
}

function narrowRole(role: Role, allows: readonly Permission[]): Role {
  return { ...role, allows: new Set(allows.filter((permission) => role.allows.has(permission))) };
}

/** Whether all that `inner` leaves is left by `outer`, too. */
export function isNarrower(inner: Narrowing, outer: Narrowing): boolean {
  const inScope =
    outer.within === undefined || (inner.within !== undefined && contains(outer.within, inner.within));
  const wanted = outer.allows && new Set(outer.allows);
  return inScope && (wanted === undefined || (inner.allows?.every((one) => wanted.has(one)) ?? false));
}
