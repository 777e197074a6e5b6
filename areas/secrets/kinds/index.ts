/** The kinds of secrets: values that are kept, what is reached with them, and how a spec refers to them. */
import type { Kind } from "@reeve/model";
import { Connection, connectionField } from "./connection.ts";
import { Secret } from "./secret.ts";

export { canFollow, gitFolder, gitNews, gitOfConnection, gitPlace } from "./git.ts";
export {
  type ConnectionReference,
  connectionsIn,
  referencesIn,
  type SecretReference,
  secretRef,
  withReferences,
} from "./references.ts";
export {
  missingKeys,
  revealInput,
  rollbackInput,
  type SecretSpec,
  type SecretVersion,
  setInput,
  versionsKept,
} from "./secret.ts";
export { Connection, connectionField, Secret };

export const secretsKinds: readonly Kind[] = [Secret, Connection];
