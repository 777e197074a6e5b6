import { Fault, type JsonObject } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { defineVerb } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { type FieldRow, fieldRows, schemaAt, typeName } from "../explain-fields.ts";
import { paintOut } from "../output/paint.ts";
import { tableLines } from "../output/table.ts";
import { displayWidth, printable } from "../output/width.ts";

const narrowestProse = 30;

export const explain = defineVerb<CliDesk>()({
  name: "explain",
  group: "read",
  summary: "Explain a kind, or one of its fields",
  args: [{ name: "KIND[.FIELD]", completes: "kind" }],
  example: "reeve explain rolebinding\nreeve explain rolebinding.subject",
  async run(desk, { args: [word = ""] }) {
    const [kindWord = "", ...path] = word.split(".");
    const kind = await (await desk.client()).find(kindWord);
    if (path.length > 0)
      return explainField(desk, kind, path[0] === "spec" || path[0] === "status" ? path : ["spec", ...path]);
    if (await desk.data(kind)) return 0;
    const names = [kind.plural, ...kind.shortNames].join(", ");
    const actions = Object.entries(kind.actions ?? {}).map(([name, { summary }]) => [name, summary]);
    const parts = [
      `${paintOut("bold", kind.name)} (${names})\n${kind.summary}\nLives in: ${kind.levels.join(", ")}\n`,
      fields("Spec", kind.spec, desk),
      fields("Status", kind.status, desk),
      actions.length === 0
        ? ""
        : section("Actions", tableLines(["Action", "Does"], actions, desk.terminal.width - 2)),
      (kind.fields ?? []).length === 0
        ? ""
        : `${paintOut("bold", "Selectable fields:")} ${kind.fields.join(", ")}\n`,
      section("Example", kind.example.trimEnd().split("\n")),
    ];
    desk.out(parts.filter((part) => part !== "").join("\n"));
    return 0;
  },
});

async function explainField(desk: CliDesk, kind: KindInfo, path: readonly string[]): Promise<number> {
  const [part, ...rest] = path;
  const root = part === "status" ? kind.status : kind.spec;
  const schema = schemaAt(root, rest);
  if (schema === undefined)
    throw new Fault("not_found", `${kind.name} has no field ${path.join(".")}`, {
      next: `see them all: reeve explain ${kind.plural}`,
    });
  if (await desk.data(schema)) return 0;
  const description = typeof schema.description === "string" ? `${schema.description}\n` : "";
  const head = `${paintOut("bold", `${kind.name}.${path.join(".")}`)}: ${typeName(schema, root)}\n${description}`;
  const below = fields("Fields", { ...schema, $defs: root.$defs ?? {} }, desk);
  desk.out(below === "" ? head : `${head}\n${below}`);
  return 0;
}

function fields(title: string, schema: JsonObject, desk: CliDesk): string {
  const rows = fieldRows(schema);
  if (rows.length === 0) return "";
  const cells = rows.map((row) => [
    "  ".repeat(row.depth) + row.name,
    row.type,
    row.required ? "yes" : row.fallback === "" ? "no" : `default ${row.fallback}`,
  ]);
  const lines = tableLines(["Field", "Type", "Needed"], cells, desk.terminal.width - 2);
  return section(title, withDescriptions(lines, rows, desk.terminal.width - 2));
}

/** A description is prose: it stands beside its row if there is room for it, else below, and is never cut. */
function withDescriptions(lines: readonly string[], rows: readonly FieldRow[], width: number): string[] {
  const beside = Math.max(...lines.map(displayWidth)) + 2;
  const narrow = width - beside < narrowestProse;
  return lines.flatMap((line, index) => {
    const row = rows[index - 1];
    if (row === undefined) return [narrow ? line : `${line.padEnd(beside)}DESCRIPTION`];
    const indent = narrow ? 2 * row.depth + 4 : beside;
    const [first, ...rest] = wrapped(row.description, width - indent).map(
      (part) => " ".repeat(indent) + part,
    );
    if (first === undefined) return [line];
    return narrow ? [line, first, ...rest] : [line + first.slice(displayWidth(line)), ...rest];
  });
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of printable(text).split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 1 + displayWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function section(title: string, lines: readonly string[]): string {
  return `${paintOut("bold", `${title}:`)}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}
