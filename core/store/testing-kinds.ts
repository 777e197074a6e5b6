import { baseStatus, defineKind, kindRegistry } from "@reeve/model";
import { z } from "zod";
import type { Address, Author, Mutation } from "./mutation.ts";
import { newResource, type Stored } from "./resource-row.ts";

/** A kind with nothing special about it, for tests of the store alone. */
export const Thing = defineKind({
  name: "Thing",
  plural: "things",
  shortNames: [],
  summary: "A thing.",
  levels: ["installation", "organization", "project", "workspace"],
  spec: z.strictObject({ size: z.number().default(0) }),
  status: baseStatus,
  fields: ["spec.size"],
  columns: [],
  example: "",
});

/** What limits them. */
export const Limit = defineKind({
  name: "Limit",
  plural: "limits",
  shortNames: [],
  summary: "A limit.",
  levels: ["installation", "organization", "project", "workspace"],
  limitsScope: true,
  spec: z.strictObject({ limits: z.record(z.string(), z.number()) }),
  status: baseStatus,
  columns: [],
  example: "",
});

export const thingRegistry = kindRegistry([Thing, Limit]);

export const author: Author = { caller: undefined, origin: { requestId: "r", address: "" }, reason: "" };

export function thingAt(name: string, scope = ""): Address {
  return { kind: "Thing", scope, name };
}

export function thing(name: string, size: number, more: Partial<Stored["metadata"]> = {}): Stored {
  return newResource(thingAt(name), { size }, more);
}

/** Creates the thing, or sets its size. */
export function setSize(name: string, size: number, idempotencyKey?: string): Mutation {
  const at = thingAt(name);
  return {
    author,
    needs: [at],
    ...(idempotencyKey
      ? { idempotency: { caller: "c", key: idempotencyKey, fingerprint: `${name} ${size}` } }
      : {}),
    decide(view) {
      const before = view.get(at);
      const audit = [{ ...at, operation: "apply", outcome: "done" as const }];
      if (before === undefined)
        return { writes: [{ operation: "create", resource: thing(name, size) }], audit };
      const metadata = { ...before.metadata, generation: before.metadata.generation + 1 };
      return { writes: [{ operation: "update", resource: { ...before, metadata, spec: { size } } }], audit };
    },
  };
}
