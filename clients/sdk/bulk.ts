import { isObject, type Manifest, type Resource } from "@reeve/model";
import { CallFault, faultFromProblem } from "./call-fault.ts";
import type { Draft } from "./draft.ts";
import { type Applied, type Mutation, mutationCall, readOutcome } from "./mutation.ts";
import type { Wire } from "./wire.ts";

export type BulkResult = Applied<Resource> | { readonly fault: CallFault };
export type BulkManifest = Manifest | Draft<unknown>;

/** The server takes 1000 at once; the bytes are kept well below its limit for a body. */
const limitItems = 1000;
const limitChars = 500_000;

/** Applies many in their order, in as few requests as may be; one failure does not stop the others. */
export async function applyMany(
  wire: Wire,
  manifests: readonly BulkManifest[],
  options: Omit<Mutation, "ifMatch" | "ifAbsent" | "idempotencyKey"> = {},
): Promise<BulkResult[]> {
  const results: BulkResult[] = [];
  for (const resources of portions(manifests)) {
    try {
      const { body } = await wire.send(mutationCall({ path: "/api/v1/apply", body: { resources } }, options));
      const told = isObject(body) && Array.isArray(body.results) ? (body.results as unknown[]) : [];
      results.push(...resources.map((_, index) => readResult(told[index])));
    } catch (error) {
      // What was applied before must not be forgotten because a later request failed; the rest was not tried.
      if (results.length === 0 || !(error instanceof CallFault)) throw error;
      return [...results, ...manifests.slice(results.length).map(() => ({ fault: error }))];
    }
  }
  return results;
}

function portions(manifests: readonly BulkManifest[]): BulkManifest[][] {
  const all: BulkManifest[][] = [];
  let current: BulkManifest[] = [];
  let chars = 0;
  for (const manifest of manifests) {
    const size = JSON.stringify(manifest).length;
    if (current.length > 0 && (current.length === limitItems || chars + size > limitChars)) {
      all.push(current);
      current = [];
      chars = 0;
    }
    current.push(manifest);
    chars += size;
  }
  return current.length === 0 ? all : [...all, current];
}

function readResult(value: unknown): BulkResult {
  if (isObject(value) && isObject(value.resource))
    return {
      outcome: readOutcome(value.outcome) ?? "updated",
      resource: value.resource as unknown as Resource,
    };
  return { fault: faultFromProblem(isObject(value) ? value.problem : undefined) };
}
