import { type Metadata, showScope } from "@reeve/model";
import type { Column } from "../ui/data-table.tsx";

interface Row {
  readonly metadata: Metadata;
}

/** The first columns of a list: its name, and where it lives when rows of several scopes are shown together. */
export function placeColumns<R extends Row>(isMixed: boolean): Column<R>[] {
  const name: Column<R> = {
    key: "name",
    title: "Name",
    sort: ({ metadata }) => metadata.name,
    cell: ({ metadata }) => <span className="mono">{metadata.name}</span>,
  };
  const scope: Column<R> = {
    key: "scope",
    title: "Scope",
    wide: true,
    sort: ({ metadata }) => metadata.scope,
    cell: ({ metadata }) => <span className="mono">{showScope(metadata.scope)}</span>,
  };
  return isMixed ? [name, scope] : [name];
}

/** The words that a resource of any kind is found by. */
export function wordsOf({ metadata }: Row): string[] {
  const labels = Object.entries(metadata.labels).map(([key, value]) => `${key}=${value}`);
  return [metadata.scope, metadata.name, ...labels];
}
