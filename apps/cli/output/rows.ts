import type { Resource } from "@reeve/model";
import type { CliKind } from "@reeve/sdk/cli";
import { age } from "./age.ts";
import { nameOf } from "./name-of.ts";

export interface RowStyle {
  readonly wide?: boolean;
  /** Resources of several scopes are shown together. */
  readonly scoped?: boolean;
  /** Resources of several kinds are shown together. */
  readonly mixed?: boolean;
}

export function rowTitles(kind: CliKind, style: RowStyle): string[] {
  return [
    ...(style.scoped ? ["Scope"] : []),
    "Name",
    ...columnsOf(kind, style).map((column) => column.title),
    ...(style.wide ? ["Generation", "Revision", "Labels"] : []),
    "Age",
  ];
}

export function rowOf(kind: CliKind, resource: Resource, style: RowStyle, now = Date.now()): string[] {
  const { metadata } = resource;
  return [
    ...(style.scoped ? [metadata.scope || "-"] : []),
    style.mixed ? nameOf(kind, metadata) : metadata.name,
    ...columnsOf(kind, style).map((column) => cell(column.value, resource)),
    ...(style.wide ? [String(metadata.generation), String(metadata.revision), labelsText(resource)] : []),
    stateAndAge(resource, now),
  ];
}

function columnsOf(kind: CliKind, style: RowStyle): CliKind["columns"] {
  return kind.columns.filter((column) => style.wide || !column.wide);
}

/** A newer server may send what this program's columns do not expect; one bad cell must not hide the list. */
function cell(value: (resource: Resource) => string | number | undefined, resource: Resource): string {
  try {
    return String(value(resource) ?? "-");
  } catch {
    return "?";
  }
}

function labelsText({ metadata }: Resource): string {
  const pairs = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.join(",") || "-";
}

function stateAndAge({ metadata }: Resource, now: number): string {
  const state = metadata.deletingAt ? ", deleting" : metadata.paused ? ", paused" : "";
  return age(metadata.createdAt, now) + state;
}
