import { type KindVerbs, permissionOf, verbsOf } from "./kind.ts";
import {
  installationPermissions,
  type Permission,
  type Role,
  runPermission,
  runVerbs,
} from "./permission.ts";

export const builtinRoleNames = ["owner", "editor", "viewer", "auditor"] as const;
export type BuiltinRoleName = (typeof builtinRoleNames)[number];

/** The built-in roles, as plain permission lists derived from the kinds; a custom role is nothing but such a list. */
export function builtinRoles(kinds: readonly KindVerbs[]): Record<BuiltinRoleName, Role> {
  const runs = runVerbs.map(runPermission);
  const ofKinds = kinds.flatMap((kind) => verbsOf(kind).map((verb) => permissionOf(kind, verb)));
  const all = [...ofKinds, ...runs];
  const reads = [
    ...kinds.flatMap((kind) => ["read", ...(kind.reads ?? [])].map((verb) => permissionOf(kind, verb))),
    runPermission("read"),
    runPermission("logs"),
  ];
  const ordinary = kinds.flatMap((kind) =>
    verbsOf(kind)
      .filter((verb) => !kind.ownerOnly?.includes(verb))
      .map((verb) => permissionOf(kind, verb)),
  );
  const edits = [...ordinary, ...runs];
  return {
    owner: role("owner", "everything, including who may do what", [...all, ...installationPermissions]),
    editor: role("editor", "changes everything except access and the scope itself", edits),
    viewer: role("viewer", "reads everything, changes nothing", reads),
    auditor: role("auditor", "reads everything, and the audit log", [...reads, "audit:read"]),
  };
}

function role(name: string, summary: string, allows: readonly Permission[]): Role {
  return { name, summary, allows: new Set(allows) };
}
