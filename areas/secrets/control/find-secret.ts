import { contains, type Scope, selfAndAncestors } from "@reeve/model";
import type { Address, Stored } from "@reeve/store";
import type { SecretReference } from "../kinds/index.ts";

/** Where the Secret of a reference may be, nearest first. */
export function placesOf({ name, scope }: SecretReference, from: Scope): Address[] {
  const scopes = scope === undefined ? selfAndAncestors(from) : contains(scope, from) ? [scope] : [];
  return scopes.map((one) => ({ kind: "Secret", scope: one, name }));
}

/** Whether resources in this scope may refer to the Secret. */
function serves(secret: Stored, scope: Scope): boolean {
  const { serves } = secret.spec as { serves?: readonly Scope[] };
  // What the installation keeps for itself is not for every organization in it.
  if (serves === undefined && secret.metadata.scope === "") return scope === "";
  return (serves ?? [secret.metadata.scope]).some((one) => contains(one, scope));
}

/** The one rule of finding: the nearest Secret of that name, if it serves the scope. One that goes serves nobody. */
export function chosen(found: Stored | undefined, from: Scope): Stored | undefined {
  return found !== undefined && found.metadata.deletingAt === undefined && serves(found, from)
    ? found
    : undefined;
}

export function missingSecret({ name, scope }: SecretReference, from: Scope): string {
  const where = scope === undefined ? `${from || "the installation"} or above` : scope || "the installation";
  return `there is no Secret ${name} in ${where} that serves ${from || "the installation"}`;
}
