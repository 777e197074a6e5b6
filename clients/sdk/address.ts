import { type Scope, scopePath } from "@reeve/model";

/** All that an address needs to know of a kind; a kind of the model and a kind as the server tells it both fit. */
export interface KindRef {
  readonly name: string;
  readonly plural: string;
}

/** The address of a collection: `/api/v1/organizations/acme/projects/shop/serviceaccounts`. */
export function collectionPath(kind: KindRef, scope: Scope): string {
  return `/api/v1${scopePath(scope)}/${kind.plural}`;
}

export function itemPath(kind: KindRef, scope: Scope, name: string): string {
  return `${collectionPath(kind, scope)}/${encodeURIComponent(name)}`;
}
