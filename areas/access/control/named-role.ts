import type { Admission } from "@reeve/control";
import {
  builtinRoleNames,
  type Caller,
  Fault,
  firstMissing,
  invalidField,
  type Permission,
  type Role,
  type Scope,
  type Status,
  scopeParts,
  showScope,
} from "@reeve/model";
import type { Address, Stored } from "@reeve/store";

export type BuiltinRoles = Readonly<Record<string, Role>>;

export function isBuiltin(role: string): boolean {
  return (builtinRoleNames as readonly string[]).includes(role);
}

/** Where a role of this name may live, nearest first. Built-in ones live nowhere. */
export function roleAddresses(role: string, scope: Scope): Address[] {
  if (isBuiltin(role)) return [];
  const [organization] = scopeParts(scope);
  const scopes = organization === undefined ? [""] : [organization, ""];
  return scopes.map((at) => ({ kind: "Role", scope: at, name: role }));
}

/**
 * The resource with the role it names written into its status: a role made later by the same name changes nothing about
 * it.
 */
export function withRole(builtin: BuiltinRoles, { before, after, caller, view }: Admission): Stored {
  const { scope } = after.metadata;
  const name = after.spec.role as string;
  const found = roleAddresses(name, scope).flatMap((at) => view.get(at) ?? []);
  const meant = before?.spec.role === name ? roleUid(before) : undefined;
  const role = found.find((one) => one.metadata.uid === meant) ?? found[0];
  if (role === undefined && !isBuiltin(name))
    throw invalidField(
      "/spec/role",
      `there is no role ${name} in ${showScope(scope)} or above`,
      `use ${builtinRoleNames.join(", ")}, or make a Role of that name in the organization first`,
    );
  const going = role?.metadata.deletingAt !== undefined && role.metadata.uid !== meant;
  if (going) throw new Fault("precondition", `the role ${name} is being deleted`);
  refuseMore(builtin, caller, { name, role, scope });
  const { role: _, ...status } = after.status;
  const ref = role && { scope: role.metadata.scope, uid: role.metadata.uid };
  return { ...after, status: { ...status, ...(ref ? { role: ref } : {}) } };
}

/** Nobody hands out more than they have. */
export function refuseMore(
  builtin: BuiltinRoles,
  caller: Caller,
  { name, role, scope }: { name: string; role: Stored | undefined; scope: Scope },
): void {
  const allowed = role === undefined ? builtin[name]?.allows : allowsOf(role);
  const missing = firstMissing(caller.grants, allowed ?? new Set(), scope);
  if (missing === undefined) return;
  throw new Fault(
    "forbidden",
    `you cannot give the role ${name} in ${showScope(scope)}: you do not hold ${missing} there yourself`,
    { next: "ask somebody who holds that role there" },
  );
}

/** What a custom role allows. */
export function allowsOf(role: Stored): ReadonlySet<Permission> {
  return new Set((role.status.allows ?? []) as Permission[]);
}

export function roleUid({ status }: { status: Status }): string | undefined {
  return (status.role as { uid: string } | undefined)?.uid;
}
