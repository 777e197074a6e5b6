import { apiVersion, type JsonObject, type Scope } from "@reeve/model";

/** What a new workflow begins with: small, and it works. */
export function firstWorkflow(scope: Scope): JsonObject {
  return {
    apiVersion,
    kind: "Workflow",
    metadata: { ...(scope === "" ? {} : { scope }), name: "hello" },
    spec: {
      inputs: { name: { default: "world" } },
      steps: [
        { name: "greet", run: 'echo "hello ${{ inputs.name }}"\n' },
        { name: "done", run: "echo that was all\n" },
      ],
    },
  };
}
