import { z } from "zod";
import { Fault, type FieldError } from "./fault.ts";
import { fieldWords } from "./field-words.ts";
import { sameJson } from "./json.ts";
import type { Kind } from "./kind.ts";
import { annotationErrors, escapePointer, isName, labelErrors, nameRule } from "./name.ts";
import { checkLevel, type Registry } from "./registry.ts";
import { apiVersion, type JsonObject, type Manifest } from "./resource.ts";
import { parseScope } from "./scope.ts";
import { unstorable } from "./storable.ts";

const textMap = z.record(z.string(), z.string());

/** Fields that only the server sets are accepted and left out, so that what was read can be applied again. */
const serverOnly = {
  createdAt: z.unknown().optional(),
  updatedAt: z.unknown().optional(),
  deletingAt: z.unknown().optional(),
};

const envelope = z.strictObject({
  apiVersion: z.literal(apiVersion),
  kind: z.string(),
  metadata: z.strictObject({
    scope: z.string().default(""),
    name: z.string().refine(isName, { error: `not a valid name: ${nameRule}` }),
    uid: z.string().optional(),
    generation: z.number().optional(),
    revision: z.number().optional(),
    labels: textMap.optional(),
    annotations: textMap.optional(),
    finalizers: z
      .array(
        z
          .string()
          .max(128)
          .regex(/^[a-z0-9.-]+\/[a-z0-9-]+$/, { error: "write it as owner/what" }),
      )
      .max(20)
      .optional(),
    owner: z
      .strictObject({
        kind: z.string(),
        name: z.string(),
        scope: z.string().optional(),
        uid: z.string().optional(),
      })
      .nullable()
      .optional(),
    paused: z.boolean().optional(),
    ...serverOnly,
  }),
  spec: z.record(z.string(), z.unknown()).default({}),
  status: z.unknown().optional(),
});

/**
 * Reads what a caller sent: the one place where the shape of a resource is checked, for every door. A spec that stays as it is
 * recorded is not judged again: rules that came after it must not keep anybody from pausing the resource.
 */
export function readManifest(
  input: unknown,
  registry: Registry,
  recorded?: JsonObject,
): { manifest: Manifest; kind: Kind } {
  const found = unstorable(input);
  if (found !== undefined) throw invalid([found]);
  const parsed = envelope.safeParse(input, { error: fieldWords });
  if (!parsed.success) throw invalid(fieldErrors(parsed.error));
  const { createdAt: _c, updatedAt: _u, deletingAt: _d, ...metadata } = parsed.data.metadata;
  const scope = parseScope(metadata.scope);
  const kind = registry.byName(parsed.data.kind);
  checkLevel(kind, scope);
  const errors = [...labelErrors(metadata.labels ?? {}), ...annotationErrors(metadata.annotations ?? {})];
  if (errors.length > 0) throw invalid(errors);
  const stays = recorded !== undefined && sameJson(parsed.data.spec as JsonObject, recorded);
  const spec = stays ? recorded : readSpec(kind, parsed.data.spec);
  return {
    kind,
    manifest: { apiVersion, kind: kind.name, metadata: { ...metadata, scope }, spec } as Manifest,
  };
}

/** The spec with its defaults filled in. */
export function readSpec(kind: Kind, spec: unknown): JsonObject {
  const parsed = kind.spec.safeParse(spec, { error: fieldWords });
  if (!parsed.success) throw invalid(fieldErrors(parsed.error, "/spec"));
  return parsed.data as JsonObject;
}

/** Reads any other body by its schema, with the same errors. */
export function readInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const found = unstorable(input);
  if (found !== undefined) throw invalid([found]);
  const parsed = schema.safeParse(input, { error: fieldWords });
  if (!parsed.success) throw invalid(fieldErrors(parsed.error));
  return parsed.data;
}

function invalid(errors: readonly FieldError[]): Fault {
  const first = errors[0] as FieldError;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new Fault("invalid", `${first.pointer || "/"}: ${first.message}${more}`, {
    errors,
    next: "correct the named fields and send it again; `reeve explain KIND` shows every field",
  });
}

function fieldErrors({ issues }: { issues: readonly z.core.$ZodIssue[] }, prefix = ""): FieldError[] {
  return issues.flatMap((issue): FieldError[] => {
    const pointer = prefix + issue.path.map((part) => `/${escapePointer(String(part))}`).join("");
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        pointer: `${pointer}/${escapePointer(key)}`,
        message: "unknown field",
      }));
    const meant = issue.code === "invalid_union" ? alternativeMeant(issue) : undefined;
    return meant ? fieldErrors({ issues: meant }, pointer) : [{ pointer, message: issue.message }];
  });
}

/** Of several forms, the one that was tried: the form itself fits, and only something in it does not. */
function alternativeMeant({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  return errors.find((issues) => issues.every(({ path }) => path.length > 0));
}
