import type { Tools } from "@reeve/control";
import { Fault, type JsonObject, type Scope, showAddress } from "@reeve/model";
import { readResource, type Stored } from "@reeve/store";
import { referencesIn, type SecretReference, withReferences } from "../kinds/index.ts";
import { chosen, missingSecret, placesOf } from "./find-secret.ts";
import { openVersion } from "./values.ts";

/** The spec with the values of its secrets, for whoever carries it out; it must reach no row, log or answer. */
export async function resolveSecrets<Spec extends JsonObject>(
  tools: Pick<Tools, "database" | "keys">,
  scope: Scope,
  spec: Spec,
): Promise<Spec> {
  return withReferences(spec, { secretAt: await openSecrets(tools, scope, referencesIn(spec)) });
}

/** The values of these references, as a function of them. */
export async function openSecrets(
  tools: Pick<Tools, "database" | "keys">,
  scope: Scope,
  references: readonly SecretReference[],
): Promise<(reference: SecretReference) => string> {
  const opened = new Map<string, Readonly<Record<string, string>>>();
  const values = new Map<string, string>();
  for (const reference of references) {
    const secret = await findSecret(tools, scope, reference);
    const { uid } = secret.metadata;
    const version = secret.status.version as number | undefined;
    const all = opened.get(uid) ?? (version === undefined ? {} : await openVersion(tools, secret, version));
    opened.set(uid, all);
    if (!Object.hasOwn(all, reference.key)) throw notSet(secret, reference);
    values.set(placeIn(reference), all[reference.key] as string);
  }
  return (reference) => values.get(placeIn(reference)) as string;
}

async function findSecret(
  { database }: Pick<Tools, "database">,
  scope: Scope,
  reference: SecretReference,
): Promise<Stored> {
  let nearest: Stored | undefined;
  for (const at of placesOf(reference, scope)) nearest ??= await readResource(database, at);
  const secret = chosen(nearest, scope);
  if (secret === undefined)
    throw new Fault("precondition", `${reference.pointer}: ${missingSecret(reference, scope)}`, {
      next: "make the Secret, or let it serve this scope",
    });
  return secret;
}

function notSet(secret: Stored, { pointer, key }: SecretReference): Fault {
  const { scope, name } = secret.metadata;
  return new Fault(
    "precondition",
    `${pointer}: ${showAddress({ kind: "Secret", scope, name })} has no key ${key}`,
    { next: `set it: reeve secret set ${scope === "" ? name : `${scope}/${name}`} ${key}` },
  );
}

function placeIn({ pointer, name, key }: SecretReference): string {
  return `${pointer} ${name} ${key}`;
}
