import type { Resource, Scope } from "@reeve/model";
import type { CliKind } from "@reeve/sdk/cli";
import type { CliDesk } from "./desk.ts";
import { selectionOf } from "./listing.ts";
import { nameOf } from "./output/name-of.ts";
import { rowOf, rowTitles } from "./output/rows.ts";
import { columnWidths, layLines } from "./output/table.ts";
import { printable } from "./output/width.ts";

/** What there is and then what changes, until the person has seen enough. */
export async function follow(desk: CliDesk, kind: CliKind, scope: Scope, name?: string): Promise<void> {
  const client = await desk.client();
  const show = await eventShower(desk, kind);
  const changes = client.kind(kind).watch(scope, {
    ...selectionOf(desk.flags, name),
    onSynced: show.caughtUp,
    onLost: (fault) => desk.progress(`${fault.message}; connecting again`),
  });
  for await (const { type, resource } of changes) show.event(type, resource);
}

interface Shower {
  event(type: string, resource: Resource): void;
  caughtUp(): void;
}

async function eventShower(desk: CliDesk, kind: CliKind): Promise<Shower> {
  const { output } = desk.flags;
  const caughtUp = () => undefined;
  if (output === "json")
    return { caughtUp, event: (type, resource) => desk.out(`${JSON.stringify({ type, resource })}\n`) };
  if (output === "name")
    return { caughtUp, event: (type, { metadata }) => desk.out(`${type} ${nameOf(kind, metadata)}\n`) };
  if (output === "yaml") {
    const { toYaml } = await import("@reeve/model/yaml");
    return { caughtUp, event: (type, resource) => desk.out(`---\n# ${type}\n${toYaml(resource)}`) };
  }
  return tableShower(desk, kind);
}

/** The first rows decide the widths; later rows keep to them, so that columns stay columns. */
function tableShower(desk: CliDesk, kind: CliKind): Shower {
  const wide = desk.flags.output === "wide";
  const style = { wide, scoped: desk.flags.deep };
  const titles = ["Event", ...rowTitles(kind, style)].map((title) => title.toUpperCase());
  const spare = ["modified", ...titles.slice(1).map(() => "x".repeat(12))];
  let waiting: string[][] = [];
  let widths: number[] | undefined;
  const put = (rows: readonly (readonly string[])[]) =>
    desk.out(
      layLines(rows, widths ?? [])
        .map((line) => `${line}\n`)
        .join(""),
    );
  return {
    event(type, resource) {
      const row = [type, ...rowOf(kind, resource, style).map(printable)];
      if (widths === undefined) waiting.push(row);
      else put([row]);
    },
    caughtUp() {
      if (widths !== undefined) return;
      const rows = [titles, ...waiting];
      widths = columnWidths([...rows, spare], wide ? Number.POSITIVE_INFINITY : desk.terminal.width);
      waiting = [];
      put(rows);
    },
  };
}
