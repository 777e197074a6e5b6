import {
  escapePointer,
  invalidField,
  isName,
  isObject,
  type Json,
  nameOf,
  type Scope,
  scopeText,
} from "@reeve/model";
import { z } from "zod";
import { secretKey } from "./words.ts";

/** A place in a spec that stands for a value of a Secret. */
export interface SecretReference {
  /** A JSON pointer to the text or to the `secretRef`. */
  readonly pointer: string;
  readonly name: string;
  readonly key: string;
  /** Where the Secret lives; the nearest one of that name, from the resource's own scope upwards, when left out. */
  readonly scope?: Scope;
}

/** A place in a spec that stands for a field of the nearest Connection of that name, as text. */
export interface ConnectionReference {
  readonly pointer: string;
  readonly name: string;
  /** `host`, `password`; of a generic connection one of its values. */
  readonly field: string;
}

/** For a field whose whole value is a secret: a kind that has one takes nothing else there. */
export const secretRef = z.strictObject({
  secretRef: z.strictObject({
    name: nameOf("Secret"),
    key: secretKey,
    scope: scopeText
      .optional()
      .describe("Where the Secret lives; the nearest one of that name upwards when left out."),
  }),
});

const inText = /(\$\{\{\s*(secrets|connections)(?=[.\s}]))(?:\.([a-z0-9-]+)\.([A-Za-z0-9_.-]+)\s*\}\})?/g;

/** What a reference is replaced by. */
export interface Replacing {
  readonly secretAt: (reference: SecretReference) => string;
  /** References to connections are left as they are without it. */
  readonly connectionAt?: (reference: ConnectionReference) => string;
}

/** Everything in a spec that stands for a secret; throws a Fault for what tries to and does not. */
export function referencesIn(spec: Json): SecretReference[] {
  const found: SecretReference[] = [];
  withReferences(spec, { secretAt: (one) => noted(found, one) });
  return found;
}

/** Everything in a spec that stands for a field of a connection. */
export function connectionsIn(spec: Json): ConnectionReference[] {
  const found: ConnectionReference[] = [];
  withReferences(spec, { secretAt: () => "", connectionAt: (one) => noted(found, one) });
  return found;
}

/** The spec with each reference replaced by its value. What it is replaced by is not looked at again. */
export function withReferences<T extends Json>(spec: T, replacing: Replacing, pointer = "/spec"): T {
  return mayRefer(spec) ? (replaced(spec, replacing, pointer) as T) : spec;
}

/** Most specs refer to nothing, and every apply asks several times. */
function mayRefer(value: Json): boolean {
  if (typeof value === "string") return value.includes("${{");
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "secretRef") || Object.values(value).some(mayRefer);
}

function replaced(value: Json, replacing: Replacing, pointer: string): Json {
  if (typeof value === "string") return replacedText(value, replacing, pointer);
  if (Array.isArray(value))
    return value.map((item, index) => replaced(item, replacing, `${pointer}/${index}`));
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, "secretRef")) {
    const at = `${pointer}/secretRef`;
    const read = secretRef.safeParse(value);
    if (!read.success) throw invalidField(at, "write it as { name, key }, with a scope where it is another");
    const { scope, ...named } = read.data.secretRef;
    return replacing.secretAt({ pointer: at, ...named, ...(scope === undefined ? {} : { scope }) });
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      replaced(item, replacing, `${pointer}/${escapePointer(key)}`),
    ]),
  );
}

function replacedText(text: string, { secretAt, connectionAt }: Replacing, pointer: string): string {
  return text.replaceAll(inText, (all, _begin, sort: string, name?: string, rest?: string) => {
    if (sort === "connections") {
      if (connectionAt === undefined) return all;
      if (name === undefined || rest === undefined || !isName(name))
        throw invalidField(pointer, `write a reference as \${{ connections.NAME.FIELD }}`);
      return connectionAt({ pointer, name, field: rest });
    }
    if (name === undefined || rest === undefined || !isReference({ name, key: rest }))
      throw invalidField(pointer, `write a reference as \${{ secrets.NAME.KEY }}`);
    return secretAt({ pointer, name, key: rest });
  });
}

function noted<T>(found: T[], reference: T): string {
  found.push(reference);
  return "";
}

function isReference({ name, key }: { name: string; key: string }): boolean {
  return isName(name) && secretKey.safeParse(key).success;
}
