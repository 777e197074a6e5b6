import type { Tools } from "@reeve/control";
import { Fault, isObject, type JsonObject, type Scope } from "@reeve/model";
import { readResource, type Stored } from "@reeve/store";
import {
  type ConnectionReference,
  connectionField,
  connectionsIn,
  referencesIn,
  withReferences,
} from "../kinds/index.ts";
import { connectionPlaces, fieldTrouble } from "./find-connection.ts";
import { openSecrets, resolveSecrets } from "./resolve.ts";

type Keeping = Pick<Tools, "database" | "keys">;

/** A step's body with the values of its secrets and connections, and the texts that logs must not show. */
export async function resolveForRun(
  tools: Keeping,
  scope: Scope,
  value: JsonObject,
): Promise<{ value: JsonObject; hide: string[] }> {
  const hide = new Set<string>();
  const secretAt = await openSecrets(tools, scope, referencesIn(value));
  const fields = new Map<string, string>();
  for (const reference of connectionsIn(value))
    fields.set(placeIn(reference), await fieldValue(tools, scope, reference, hide));
  const filled = withReferences(value, {
    secretAt(reference) {
      const secret = secretAt(reference);
      hide.add(secret);
      return secret;
    },
    connectionAt: (reference) => fields.get(placeIn(reference)) as string,
  });
  return { value: filled, hide: [...hide].flatMap(withLines) };
}

/** The secrets of a connection are found from its own scope: whoever may use it need not be served by them. */
async function fieldValue(
  tools: Keeping,
  scope: Scope,
  reference: ConnectionReference,
  hide: Set<string>,
): Promise<string> {
  let connection: Stored | undefined;
  for (const at of connectionPlaces(reference, scope)) connection ??= await readResource(tools.database, at);
  const trouble = fieldTrouble(reference, scope, connection);
  if (trouble !== undefined || connection === undefined)
    throw new Fault("precondition", `${reference.pointer}: ${trouble}`, {
      next: "make the Connection, or correct it",
    });
  const field = connectionField(connection.spec, reference.field);
  const resolved = await resolveSecrets(tools, connection.metadata.scope, { field } as JsonObject);
  const text = typeof resolved.field === "string" ? resolved.field : JSON.stringify(resolved.field);
  if (isObject(field) || referencesIn({ field } as JsonObject).length > 0) hide.add(text);
  return text;
}

/** A program may print a key of several lines one by one. */
function withLines(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim().length >= 8);
  return text.trim() === "" ? [] : lines.length > 1 ? [text, ...lines] : [text];
}

function placeIn({ pointer, name, field }: ConnectionReference): string {
  return `${pointer} ${name} ${field}`;
}
