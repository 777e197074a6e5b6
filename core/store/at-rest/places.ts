import { type Json, type JsonObject, type Kind, type Registry, valueAt } from "@reeve/model";
import type { Place } from "./at-rest.ts";

/** What is sealed of the core's own tables. */
const ofRun = (column: string) => `(select r.scope from run r where r.id = t.${column})`;
/** Of a deleted one only the audit still knows whose it was. */
const ofResource = `coalesce((select r.scope from resource r where r.uid = t.uid),
  (select a.organization from audit a where a.revision = t.revision))`;

export const specs: Place = { table: "resource", key: "uid", column: "spec", form: "json", scope: "t.scope" };
export const pastSpecs: Place = {
  ...{ table: "generation", key: "uid, generation", column: "spec", form: "json", scope: ofResource },
};
export const changed: Place = {
  ...{ table: "change", key: "revision", column: "object", form: "text", scope: "t.scope" },
};
export const details: Place = {
  ...{ table: "audit", key: "revision", column: "detail", form: "json", scope: "t.organization" },
};
export const answers: Place = {
  ...{ table: "idempotency", key: "caller, key", column: "answer", form: "json" },
  scope: "(select c.scope from change c where c.revision = t.revision)",
};
export const messages: Place = {
  ...{ table: "notification", key: "id", column: "message", form: "json", scope: "t.scope" },
};
export const inputs: Place = { table: "run", key: "id", column: "inputs", form: "json", scope: "t.scope" };
export const outputs: Place = { table: "run", key: "id", column: "outputs", form: "json", scope: "t.scope" };
export const items: Place = {
  table: "step",
  key: "run, seq",
  column: "item",
  form: "json",
  scope: ofRun("run"),
};
export const stepOutputs: Place = { ...items, column: "outputs" };
export const graphs: Place = {
  ...{ table: "run_graph", key: "digest", column: "graph", form: "json", readable: readableOfGraph },
  ...{ scope: "t.scope", through: { table: "run", key: "id", on: "v.digest = t.graph" } },
};
export const output: Place = {
  ...{
    table: "log_chunk",
    key: "run, seq, epoch, number",
    column: "data",
    form: "bytes",
    scope: ofRun("run"),
  },
};

export const recorded: Place = {
  ...{ table: "terminal_recording_part", key: "recording_id, part", column: "data", form: "bytes" },
  scope: "(select r.scope from terminal_recording r where r.id = t.recording_id)",
};
export const recordedDetails: Place = {
  ...{ table: "terminal_recording", key: "id", column: "detail", form: "json", scope: "t.scope" },
};

/** All of them, for who looks through everything. */
export function corePlaces(registry: Registry): Place[] {
  const readable: Place["readable"] = (spec, row) =>
    readableOfSpec(registry.byName(row.kind as string), spec);
  return [
    { ...specs, readable, needs: "kind" },
    ...[pastSpecs, changed, details, answers, messages, inputs, outputs, graphs, items, stepOutputs, output],
    ...[recorded, recordedDetails],
  ];
}

/** The fields to select by, and what else the database reads of a spec by itself. */
export function readableOfSpec({ fields = [], readByDatabase = [] }: Kind, spec: JsonObject): JsonObject {
  const readable: JsonObject = {};
  for (const field of [...fields, ...readByDatabase]) {
    const value = valueAt({ spec }, field);
    if (!field.startsWith("spec.") || value === undefined) continue;
    const path = field.split(".").slice(1);
    const last = path.pop() as string;
    let at = readable;
    for (const part of path) {
      at[part] ??= {};
      at = at[part] as JsonObject;
    }
    at[last] = value as Json;
  }
  return readable;
}

/** How many steps there are, and their names. */
export function readableOfGraph(graph: JsonObject): JsonObject {
  return { steps: (graph.steps as JsonObject[]).map(({ name }) => ({ name: name as string })) };
}
