import type { Admission } from "@reeve/control";
import { Fault, type JsonObject, type Scope, sameJson, selfAndAncestors, showScope } from "@reeve/model";
import type { Address } from "@reeve/store";
import type { WorkflowSpec } from "../kinds/index.ts";

/** The channels that a workflow tells, with the places that say so. */
export function channelsOf(spec: JsonObject): { readonly name: string; readonly pointer: string }[] {
  const { notify = [] } = spec as unknown as WorkflowSpec;
  return notify.map(({ channel: name }, at) => ({ name, pointer: `/spec/notify/${at}/channel` }));
}

/** Where a channel may be, nearest first: as it is found when there is something to tell. */
export function channelPlaces(name: string, from: Scope): Address[] {
  return selfAndAncestors(from).map((scope) => ({ kind: "Channel", scope, name }));
}

/** A channel that is not there would only be missed when something has failed. */
export function admitChannels({ before, after, view }: Admission): void {
  if (before !== undefined && sameJson(before.spec, after.spec)) return;
  const { scope } = after.metadata;
  const errors = channelsOf(after.spec).flatMap(({ name, pointer }) => {
    const nearest = channelPlaces(name, scope)
      .map((at) => view.get(at))
      .find((found) => found !== undefined);
    return nearest !== undefined && nearest.metadata.deletingAt === undefined
      ? []
      : [{ pointer, message: `there is no Channel ${name} in ${showScope(scope)} or above` }];
  });
  const [first] = errors;
  if (first !== undefined)
    throw new Fault("invalid", `${first.pointer}: ${first.message}`, {
      errors,
      next: "make the channel first (`reeve explain channel`), or name one of `reeve get channels`",
    });
}
