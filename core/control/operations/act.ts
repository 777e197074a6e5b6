import { type Action, Fault, type Json, type Resource, readInput, showAddress } from "@reeve/model";
import { type Address, readResource, type Stored, shown } from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import type { ActionPlan } from "../controller.ts";
import { notFound, refusal } from "../guard/authorise.ts";
import { stalenessFor } from "../guard/fresh.ts";
import { changesBetween } from "./apply.ts";
import { checkMatch, isDenial, mutate, refuse, refused } from "./mutate.ts";

/** Carries out a verb of the kind's own. */
export async function act(
  context: Context,
  asking: Asking,
  at: Address,
  name: string,
  body: unknown,
): Promise<{ output: Json; resource: Resource | undefined }> {
  const kind = context.registry.byName(at.kind);
  const controller = context.controllers.get(at.kind);
  const action = Object.hasOwn(kind.actions ?? {}, name) ? kind.actions?.[name] : undefined;
  const handler = controller?.actions?.[name];
  if (action === undefined || handler === undefined)
    throw new Fault("not_found", `${kind.name} has no action ${JSON.stringify(name.slice(0, 80))}`, {
      next: `its actions: ${Object.keys(kind.actions ?? {}).join(", ") || "none"}`,
    });
  const seen = await readResource(context.database, at);
  const check = (resource = seen) =>
    refusal(asking.caller, { kind, verb: name, at, controller, resource }) ??
    (asking.caller && stalenessFor(action, asking.caller));
  const fault = check();
  if (fault !== undefined) return refuse(context, asking, name, at, fault);
  // A secret is shown once: a repeat of the request is a new request.
  const once = { ...asking, idempotency: undefined };
  const repeatable = action.secret ? once : asking;
  const caller = asking.caller as NonNullable<Asking["caller"]>;
  let input: Json;
  let plan: ActionPlan;
  try {
    if (seen === undefined) throw notFound(at);
    input = readInput(action.input, body ?? {}) as Json;
    insistOn(action, at, name, seen);
    plan = await handler({ resource: seen, caller, input }, context);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (isDenial(error)) return refuse(context, asking, name, at, error);
    if (repeatable.idempotency === undefined) throw error;
    return firstAnswer(context, repeatable, at, error);
  }
  const written = await mutate(context, plan.outside === undefined ? repeatable : once, {
    needs: [at],
    decide(view) {
      const resource = view.get(at);
      const late = check(resource);
      if (late !== undefined) return refused(name, at, late);
      if (resource === undefined || resource.metadata.uid !== seen.metadata.uid) throw notFound(at);
      checkMatch(asking, kind, resource);
      insistOn(action, at, name, resource);
      const { uid } = resource.metadata;
      const after = plan.change?.(resource);
      const changes = after === undefined ? [] : changesBetween(resource, after);
      const detail = {
        ...(plan.detail ?? (action.secret ? {} : { input })),
        ...(changes.length > 0 ? { changes } : {}),
      };
      return {
        writes: after === undefined ? [] : [{ operation: "update", resource: after, keeps: plan.keeps ?? 0 }],
        audit: [{ ...at, uid, operation: name, outcome: "done", detail }],
        events: (plan.events ?? []).map((event) => ({ ...event, uid })),
        ...(plan.also ? { also: plan.also } : {}),
        answer: plan.output(),
        seen: resource,
      };
    },
  });
  if (plan.outside !== undefined && !asking.dryRun)
    return endOutside(context, asking, { at, name, seen, outside: plan.outside });
  return {
    output: asking.dryRun ? null : (written.answer ?? plan.output()),
    resource: written.resource ?? shown(seen),
  };
}

/** What is not possible any more was possible when it was asked for first: a repeat gets the answer of then. */
async function firstAnswer(
  context: Context,
  asking: Asking,
  at: Address,
  fault: Fault,
): Promise<{ output: Json; resource: Resource | undefined }> {
  const { answer, resource } = await mutate(context, asking, {
    needs: [at],
    decide() {
      throw fault;
    },
  });
  return { output: answer ?? null, resource };
}

function insistOn(action: Action, at: Address, name: string, resource: Stored): void {
  const possible = action.can(resource);
  if (!possible.yes)
    throw new Fault("precondition", `${showAddress(at)}: ${name} is not possible: ${possible.why}`);
}

interface Outside {
  readonly at: Address;
  readonly name: string;
  readonly seen: Stored;
  readonly outside: NonNullable<ActionPlan["outside"]>;
}

/** It was recorded that this begins. Whatever comes of it, also for what was changed or deleted meanwhile, is recorded too. */
async function endOutside(
  context: Context,
  asking: Asking,
  { at, name, seen, outside }: Outside,
): Promise<{ output: Json; resource: Resource | undefined }> {
  const { uid } = seen.metadata;
  const deed = { ...at, uid, operation: `${name}-ended`, outcome: "done" as const };
  const { idempotency: _, ...once } = asking;
  const end = await outside().catch(async (error: unknown) => {
    const why = error instanceof Fault ? error.message : "something went wrong on our side";
    const decide = () => ({ writes: [], audit: [{ ...deed, detail: { failed: why } }] });
    await mutate(context, once, { needs: [], decide });
    throw error;
  });
  const written = await mutate(context, asking, {
    needs: [at],
    decide(view) {
      const now = view.get(at);
      const after = now?.metadata.uid === uid ? end.change?.(now) : undefined;
      return {
        writes: after === undefined ? [] : [{ operation: "update", resource: after }],
        audit: [{ ...deed, detail: end.detail ?? {} }],
        answer: end.output(),
        ...(now === undefined ? {} : { seen: now }),
      };
    },
  });
  return { output: written.answer ?? end.output(), resource: written.resource ?? shown(seen) };
}
