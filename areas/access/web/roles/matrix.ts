import {
  builtinRoles,
  installationPermissions,
  type KindVerbs,
  type Permission,
  permissionOf,
  runPermission,
  runVerbs,
  verbsOf,
} from "@reeve/model";

/** A role as a column of the matrix. */
export interface MatrixRole {
  readonly name: string;
  readonly summary: string;
  readonly allows: ReadonlySet<string>;
  /** Where a role of one's own lives; undefined for a built-in one. */
  readonly scope?: string;
}

/** What can be allowed of one thing. */
export interface MatrixRow {
  readonly about: string;
  readonly permissions: readonly Permission[];
}

export function builtinColumns(kinds: readonly KindVerbs[]): MatrixRole[] {
  return Object.values(builtinRoles(kinds));
}

/** Every permission there is: of kinds, of runs, and of what is about the installation. */
export function matrixRows(kinds: readonly KindVerbs[]): MatrixRow[] {
  const ofKinds = kinds.map((kind) => ({
    about: kind.plural,
    permissions: verbsOf(kind).map((verb) => permissionOf(kind, verb)),
  }));
  const ofRuns = { about: "runs", permissions: runVerbs.map(runPermission) };
  const others = Map.groupBy(installationPermissions, (permission) => permission.split(":")[0] ?? "");
  const ofOthers = [...others].map(([about, permissions]) => ({ about, permissions }));
  return [...ofKinds, ofRuns].sort((a, b) => a.about.localeCompare(b.about)).concat(ofOthers);
}

export type Share = "all" | "some" | "none";

/** How much of a row a role allows. */
export function shareOf({ allows }: MatrixRole, { permissions }: MatrixRow): { share: Share; held: number } {
  const held = permissions.filter((permission) => allows.has(permission)).length;
  return { held, share: held === 0 ? "none" : held === permissions.length ? "all" : "some" };
}
