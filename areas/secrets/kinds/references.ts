import {
  escapePointer,
  invalidField,
  isName,
  isObject,
  type Json,
  nameText,
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

/** For a field whose whole value is a secret: a kind that has one takes nothing else there. */
export const secretRef = z.strictObject({
  secretRef: z.strictObject({
    name: nameText,
    key: secretKey,
    scope: scopeText
      .optional()
      .describe("Where the Secret lives; the nearest one of that name upwards when left out."),
  }),
});

const inText = /\$\{\{\s*secrets(?=[.\s}])(?:\.([a-z0-9-]+)\.([A-Za-z0-9_.-]+)\s*\}\})?/g;

/** Everything in a spec that stands for a secret; throws a Fault for what tries to and does not. */
export function referencesIn(spec: Json): SecretReference[] {
  const found: SecretReference[] = [];
  withSecrets(spec, (reference) => {
    found.push(reference);
    return "";
  });
  return found;
}

/** The spec with each reference replaced by its value. */
export function withSecrets<T extends Json>(
  spec: T,
  secretAt: (reference: SecretReference) => string,
  pointer = "/spec",
): T {
  return replaced(spec, secretAt, pointer) as T;
}

function replaced(value: Json, secretAt: (reference: SecretReference) => string, pointer: string): Json {
  if (typeof value === "string")
    return value.replaceAll(inText, (_, name: string | undefined, key: string | undefined) => {
      if (name === undefined || key === undefined || !isReference({ name, key }))
        throw invalidField(pointer, `write a reference as \${{ secrets.NAME.KEY }}`);
      return secretAt({ pointer, name, key });
    });
  if (Array.isArray(value))
    return value.map((item, index) => replaced(item, secretAt, `${pointer}/${index}`));
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, "secretRef")) {
    const at = `${pointer}/secretRef`;
    const read = secretRef.safeParse(value);
    if (!read.success) throw invalidField(at, "write it as { name, key }, with a scope where it is another");
    const { scope, ...named } = read.data.secretRef;
    return secretAt({ pointer: at, ...named, ...(scope === undefined ? {} : { scope }) });
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      replaced(item, secretAt, `${pointer}/${escapePointer(key)}`),
    ]),
  );
}

function isReference({ name, key }: { name: string; key: string }): boolean {
  return isName(name) && secretKey.safeParse(key).success;
}
