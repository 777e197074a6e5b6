/** The control plane's side of secrets: versions, references from any spec, and their resolution for executors. */
import type { ControlArea } from "@reeve/control";
import { secretsMigrations, secretsRetention } from "../store/index.ts";
import { referenceOverseer } from "./references.ts";
import { resolveForRun } from "./resolve-for-run.ts";
import { secretController } from "./secret.ts";

export { resolveSecrets } from "./resolve.ts";
export { resolveForRun };

export const secretsArea: ControlArea = {
  name: "secrets",
  controllers: [secretController],
  overseer: referenceOverseer,
  runHooks: (tools) => ({ secrets: (scope, value) => resolveForRun(tools, scope, value) }),
  migrations: secretsMigrations,
  retention: secretsRetention,
  sealed: [{ table: "secret_version", key: "secret_uid, version", column: "sealed" }],
};
