import { Fault, showAddress } from "@reeve/model";
import type { RunHooks } from "@reeve/runs";
import { readLook, readResource } from "@reeve/store";
import type { Context } from "../context.ts";
import { provide } from "../operations/provide.ts";

/**
 * Makes the resource of a step in the system's name. That whoever wrote the step may do so was asked when they wrote it; the scope
 * is the run's own, where the kind may have no place.
 */
export function makeForStep(context: Context): RunHooks["make"] {
  return async ({ run, scope, kind, name, spec, made }) => {
    const standing = context.controllers.get(kind)?.standing;
    if (standing === undefined) throw new Fault("precondition", `a step cannot make a ${kind}`);
    const at = { kind, scope, name };
    if (!made) await provide(context, { kind, metadata: { scope, name }, spec }, `the run ${run}`);
    const resource = await readResource(context.database, at);
    if (resource === undefined) throw new Fault("precondition", `${showAddress(at)} is gone`);
    const stands = standing(resource);
    if (stands.state !== "waiting") return { ...stands, why: `${showAddress(at)}: ${stands.why}` };
    const look = await readLook(context.database, resource.metadata.uid);
    return { ...stands, why: `${showAddress(at)}: ${stands.why || look?.why || "is about to be looked at"}` };
  };
}
