import type { Resource } from "@reeve/model";
import type { CliKind, Output } from "@reeve/sdk/cli";
import { nameOf } from "./name-of.ts";
import { type RowStyle, rowOf, rowTitles } from "./rows.ts";
import { tableLines } from "./table.ts";

export interface PrintStyle extends RowStyle {
  readonly output: Output;
  readonly width: number;
  /** One resource was asked for by name, so one is shown and not a list of one. */
  readonly single?: boolean;
}

/** Resources as the person wants to read them. YAML comes as several documents, so that `apply -f -` takes it back. */
export async function printed(
  kind: CliKind,
  resources: readonly Resource[],
  style: PrintStyle,
): Promise<string> {
  const { output } = style;
  if (output === "name") return lines(resources.map((one) => nameOf(kind, one.metadata)));
  if (output === "json")
    return lines([JSON.stringify(style.single ? resources[0] : asList(resources), null, 2)]);
  if (output === "yaml") {
    const { toYaml } = await import("@reeve/model/yaml");
    return resources.map(toYaml).join("---\n");
  }
  const rowStyle = { ...style, wide: output === "wide" };
  const rows = resources.map((one) => rowOf(kind, one, rowStyle));
  return lines(tableLines(rowTitles(kind, rowStyle), rows, output === "wide" ? undefined : style.width));
}

export function asList(items: readonly Resource[]): { kind: "List"; items: readonly Resource[] } {
  return { kind: "List", items };
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
