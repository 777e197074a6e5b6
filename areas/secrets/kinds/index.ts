/** The kinds of secrets: values that are kept, what is reached with them, and how a spec refers to them. */
import type { Kind } from "@reeve/model";
import { Connection } from "./connection.ts";
import { Secret } from "./secret.ts";

export { referencesIn, type SecretReference, secretRef, withSecrets } from "./references.ts";
export {
  missingKeys,
  revealInput,
  rollbackInput,
  type SecretVersion,
  setInput,
  versionsKept,
} from "./secret.ts";
export { Connection, Secret };

export const secretsKinds: readonly Kind[] = [Secret, Connection];
