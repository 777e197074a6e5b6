import type { ActionPlan, ActionRequest, Admission, Controller, Tools } from "@reeve/control";
import { contains, invalidField, type Scope, showSubject } from "@reeve/model";
import type { Stored } from "@reeve/store";
import type { z } from "zod";
import type { revealInput, rollbackInput, setInput } from "../kinds/index.ts";
import { usesOfSecret } from "../store/index.ts";
import { generate } from "./generate.ts";
import { newestOf, newVersion } from "./new-version.ts";
import { openVersion } from "./values.ts";

const usesShown = 1000;
const limits = { keys: 100, bytes: 512 * 1024 };

export const secretController: Controller = {
  kind: "Secret",
  admit: admitSecret,
  usedBy: (sql, { metadata }) => usesOfSecret(sql, metadata, usesShown),
  actions: { set, rollback, reveal },
  reconcile: generate,
};

/** A Secret serves at most what lies below it: it cannot reach into a neighbour's scope. */
function admitSecret({ after }: Admission): Stored {
  const { serves = [] } = after.spec as { serves?: readonly Scope[] };
  const outside = serves.findIndex((scope) => !contains(after.metadata.scope, scope));
  if (outside >= 0) throw invalidField(`/spec/serves/${outside}`, `is not within ${after.metadata.scope}`);
  return after;
}

async function set(request: ActionRequest, tools: Tools): Promise<ActionPlan> {
  const { values, replace } = request.input as z.infer<typeof setInput>;
  const version = newestOf(request.resource);
  const kept = replace || version === 0 ? {} : await openVersion(tools, request.resource, version);
  const after = new Map(Object.entries(kept));
  for (const [key, value] of Object.entries(values))
    if (value !== null) after.set(key, value);
    else if (!after.delete(key)) throw invalidField(`/values/${key}`, "there is no such key to remove");
  if (Object.keys(values).length === 0 && !replace) throw invalidField("/values", "give at least one key");
  checkSize(after);
  // Also when nothing differs: an answer that told so would let anybody who may set try out guesses.
  return newVersion(tools, request.resource, Object.fromEntries(after), {
    by: showSubject(request.caller.subject),
    set: Object.keys(values),
  });
}

async function rollback(request: ActionRequest, tools: Tools): Promise<ActionPlan> {
  const { version } = request.input as z.infer<typeof rollbackInput>;
  const values = await openVersion(tools, request.resource, version);
  return newVersion(tools, request.resource, values, {
    by: showSubject(request.caller.subject),
    from: version,
  });
}

async function reveal({ resource, input }: ActionRequest, tools: Tools): Promise<ActionPlan> {
  const { version = newestOf(resource), keys } = input as z.infer<typeof revealInput>;
  const all = await openVersion(tools, resource, version);
  for (const [index, key] of (keys ?? []).entries())
    if (!Object.hasOwn(all, key))
      throw invalidField(`/keys/${index}`, `version ${version} has no key ${key}`);
  const values = Object.fromEntries(Object.entries(all).filter(([key]) => keys?.includes(key) ?? true));
  return { detail: { version, keys: Object.keys(values) }, output: () => ({ version, values }) };
}

function checkSize(values: ReadonlyMap<string, string>): void {
  const bytes = [...values].reduce((sum, [key, value]) => sum + key.length + Buffer.byteLength(value), 0);
  if (values.size > limits.keys || bytes > limits.bytes)
    throw invalidField(
      "/values",
      `a secret has at most ${limits.keys} keys and ${limits.bytes / 1024} KiB`,
      "make several secrets of it",
    );
}
