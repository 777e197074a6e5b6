import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { JsonObject } from "@reeve/model";
import type { HostFacts } from "@reeve/protocol";

const textLimit = 200;
const listLimit = 100;

/** What an agent says of itself, cut to a size that is kept. */
export function helloOf(facts: HostFacts | undefined, slots: number): JsonObject & { facts: JsonObject } {
  return { slots, executors: list(facts?.executors), facts: factsOf(facts) };
}

function factsOf(facts: HostFacts | undefined): JsonObject {
  if (facts === undefined) return {};
  const { hostname, os, osVersion, arch, kernel, agentVersion, cpus, memoryBytes, bootedAt } = facts;
  const texts = Object.entries({ hostname, os, osVersion, arch, kernel, agentVersion })
    .filter(([, value]) => value !== "")
    .map(([key, value]) => [key, text(value)]);
  return {
    ...Object.fromEntries(texts),
    ...(cpus === 0 ? {} : { cpus }),
    ...(memoryBytes === 0n ? {} : { memoryBytes: Number(memoryBytes) }),
    ...(facts.capabilities.length === 0 ? {} : { capabilities: list(facts.capabilities) }),
    ...(bootedAt === undefined ? {} : { bootedAt: timestampDate(bootedAt).toISOString() }),
  };
}

function list(values: readonly string[] | undefined): string[] {
  return (values ?? []).slice(0, listLimit).map(text);
}

/** Postgres stores no NUL. */
function text(value: string): string {
  return value.replaceAll("\0", "").slice(0, textLimit);
}
