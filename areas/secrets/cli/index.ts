/** The verbs of secrets: setting values, and what may be known of them. */
import type { AnyVerb } from "@reeve/sdk/cli";
import { secretGet } from "./secret-get.ts";
import { secretReveal } from "./secret-reveal.ts";
import { secretRollback } from "./secret-rollback.ts";
import { secretSet } from "./secret-set.ts";
import { secretVersions } from "./secret-versions.ts";

export const secretsVerbs: readonly AnyVerb[] = [
  secretSet,
  secretGet,
  secretVersions,
  secretRollback,
  secretReveal,
];
