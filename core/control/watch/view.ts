import { contains, fieldValues, type Kind, type Resource } from "@reeve/model";
import type { ChangeRow, Visible } from "@reeve/store";
import { inSelection, type Selection } from "../operations/list.ts";

export type WatchType = "added" | "modified" | "removed";

/** A change with its object read once, however many watchers look at it. */
export interface SeenChange {
  readonly row: ChangeRow;
  readonly labels: Record<string, string>;
  readonly fields: Record<string, string>;
}

export function seen(row: ChangeRow, kind: Kind): SeenChange {
  const resource = JSON.parse(row.object) as Resource;
  return { row, labels: resource.metadata.labels, fields: fieldValues(resource, kind.fields ?? []) };
}

/** What a change means to somebody who watches a selection; undefined when it does not concern them. */
export function viewOf(
  selection: Selection,
  kind: Kind,
  { row, labels, fields }: SeenChange,
): WatchType | undefined {
  if (row.kind !== selection.kind || !inScope(selection, kind, row)) return undefined;
  const before = row.was !== null && inSelection(selection, row.was.labels, row.was.fields);
  const after = row.operation !== "deleted" && inSelection(selection, labels, fields);
  if (after) return before ? "modified" : "added";
  return before ? "removed" : undefined;
}

function inScope(selection: Selection, kind: Kind, row: ChangeRow): boolean {
  const within = selection.deep ? contains(selection.scope, row.scope) : row.scope === selection.scope;
  return within && visibleTo(selection.visible, kind, row);
}

function visibleTo(visible: Visible, kind: Kind, row: ChangeRow): boolean {
  if (visible === "all") return true;
  const path = kind.opensScope ? (row.scope === "" ? row.name : `${row.scope}/${row.name}`) : row.scope;
  const { scopes, wayTo = [] } = visible;
  return scopes.some((scope) => contains(scope, path)) || wayTo.some((scope) => contains(path, scope));
}
