import { type Resource, type ResourceEvent, showAddress } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import type { Why } from "@reeve/sdk";
import { defineVerb } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age, until } from "../output/age.ts";
import { holdText } from "../output/holds.ts";
import { paintOut } from "../output/paint.ts";
import { tableLines } from "../output/table.ts";
import { printable } from "../output/width.ts";
import { targetArgs } from "../target-args.ts";

const eventsShown = 10;

export const describe = defineVerb<CliDesk>()({
  name: "describe",
  group: "read",
  summary: "Show one resource with its status and events",
  args: targetArgs,
  example: "reeve describe project/shop",
  async run(desk, { args: [word = "", path] }) {
    const { kind, scope, name } = await desk.target(word, path);
    const collection = (await desk.client()).kind(kind);
    const resource = await collection.get(scope, name);
    // Both are extras: a missing right to them must not hide the resource.
    const [why, events] = await Promise.all([
      collection.why(scope, name).catch(() => undefined),
      collection.events(scope, name).catch(() => []),
    ]);
    if (await desk.data({ resource, why, events })) return 0;
    const parts = [
      head(resource),
      body("Spec", resource.spec),
      status(resource),
      conditions(resource, desk),
      look(why),
      users(why, desk),
      happened(events, desk),
    ];
    desk.out(parts.filter((part) => part !== "").join("\n"));
    return 0;
  },
});

function head({ kind, metadata }: Resource): string {
  const pairs = (map: Readonly<Record<string, string>> | undefined) =>
    Object.entries(map ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(", ");
  const rows: [string, string | undefined][] = [
    ["Kind", kind],
    ["Name", metadata.name],
    ["Scope", metadata.scope],
    ["Labels", pairs(metadata.labels)],
    ["Annotations", pairs(metadata.annotations)],
    ["Owner", metadata.owner === undefined ? undefined : `${metadata.owner.kind} ${metadata.owner.name}`],
    ["Generation", `${metadata.generation} (revision ${metadata.revision})`],
    ["Created", `${metadata.createdAt} (${age(metadata.createdAt)} ago)`],
    ["Updated", `${metadata.updatedAt} (${age(metadata.updatedAt)} ago)`],
    ["Paused", metadata.paused ? "yes: nothing acts on it" : undefined],
    ["Deleting", metadata.deletingAt === undefined ? undefined : `since ${age(metadata.deletingAt)}`],
    ["Finalizers", metadata.finalizers?.join(", ")],
  ];
  return rows
    .filter(([, value]) => value)
    .map(([title, value]) => `${paintOut("bold", `${title}:`.padEnd(12))} ${printable(value ?? "")}\n`)
    .join("");
}

function body(title: string, value: object): string {
  if (Object.keys(value).length === 0) return "";
  return `${paintOut("bold", `${title}:`)}\n${indent(toYaml(value).trimEnd().split("\n"))}`;
}

/** What the kind itself tells; the rest of a status has a section of its own. */
function status(resource: Resource): string {
  const { conditions: _, observedAt: __, observedGeneration: ___, ...own } = resource.status ?? {};
  return body("Status", own);
}

function conditions({ status }: Resource, desk: CliDesk): string {
  const all = status?.conditions ?? [];
  if (all.length === 0) return "";
  const rows = all.map((one) => [one.type, one.status, age(one.since), one.reason, one.message]);
  return section("Conditions", ["Type", "Status", "Since", "Reason", "Message"], rows, desk);
}

function look(why: Why | undefined): string {
  if (why === undefined) return "";
  const { look, holds } = why;
  const last =
    look === null
      ? []
      : [`${look.outcome}: ${look.why}`, `looked ${age(look.lookedAt)} ago, next ${until(look.nextAt)}`];
  const lines = [...last, ...holds.map((hold) => `held by ${holdText(hold)}`)];
  return lines.length === 0 ? "" : `${paintOut("bold", "Last look:")}\n${indent(lines.map(printable))}`;
}

function users(why: Why | undefined, desk: CliDesk): string {
  if (why === undefined || why.usedBy.length === 0) return "";
  const rows = why.usedBy.map(({ pointer, ...at }) => [showAddress(at), pointer]);
  return section("Used by", ["Resource", "At"], rows, desk);
}

function happened(events: readonly ResourceEvent[], desk: CliDesk): string {
  if (events.length === 0) return "";
  const rows = events
    .slice(0, eventsShown)
    .map((one) => [age(one.at), `${one.reason}${one.count > 1 ? ` (${one.count}×)` : ""}`, one.message]);
  return section("Events", ["Age", "Reason", "Message"], rows, desk);
}

function section(title: string, titles: string[], rows: string[][], desk: CliDesk): string {
  return `${paintOut("bold", `${title}:`)}\n${indent(tableLines(titles, rows, desk.terminal.width - 2))}`;
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join("");
}
