import { Fault, type JsonObject } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { defineVerb } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { fieldRows, schemaAt, typeName } from "../explain-fields.ts";
import { paintOut } from "../output/paint.ts";
import { tableLines } from "../output/table.ts";

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
  const rows = fieldRows(schema).map((row) => [
    // Leading blanks would be trimmed as untidy data; these mean depth.
    `${"\u00a0\u00a0".repeat(row.depth)}${row.name}`,
    row.type,
    row.required ? "yes" : row.fallback === "" ? "no" : row.fallback,
    row.description,
  ]);
  if (rows.length === 0) return "";
  const lines = tableLines(["Field", "Type", "Needed", "Description"], rows, desk.terminal.width - 2);
  return section(
    title,
    lines.map((line) => line.replaceAll("\u00a0", " ")),
  );
}

function section(title: string, lines: readonly string[]): string {
  return `${paintOut("bold", `${title}:`)}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}
