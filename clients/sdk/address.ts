import { type Scope, scopeParts } from "@reeve/model";

/** All that an address needs to know of a kind; a kind of the model and a kind as the server tells it both fit. */
export interface KindRef {
  readonly name: string;
  readonly plural: string;
}

const levelPlurals = ["organizations", "projects", "workspaces"] as const;

/** The address of a collection: `/api/v1/organizations/acme/projects/shop/serviceaccounts`. */
export function collectionPath(kind: KindRef, scope: Scope): string {
  const parts = scopeParts(scope).flatMap((name, depth) => [
    levelPlurals[depth] ?? "",
    encodeURIComponent(name),
  ]);
  return ["/api/v1", ...parts, kind.plural].join("/");
}

export function itemPath(kind: KindRef, scope: Scope, name: string): string {
  return `${collectionPath(kind, scope)}/${encodeURIComponent(name)}`;
}
