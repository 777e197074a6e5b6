import { client, useLoaded } from "@reeve/kit";
import { itemSeqs, type Run, type Step } from "@reeve/model";

/** An item of a fan-out that is too large to be followed item by item: it is looked up when it is chosen. */
export function useItem(
  { id, state }: Run,
  steps: readonly Step[],
  seq: number | undefined,
): Step | undefined {
  const parent = steps.find((step) => step.items !== undefined && isItemOf(step, seq));
  const isFollowed = steps.some((step) => step.seq === seq);
  const wanted = parent === undefined || isFollowed ? undefined : parent.seq;
  // Whatever becomes of one of the items shows in their counts.
  const now = `${state} ${JSON.stringify(parent?.items)}`;
  const { value } = useLoaded(`${id} ${wanted} ${seq} ${now}`, async () => {
    if (wanted === undefined || seq === undefined) return undefined;
    for await (const item of client.runs.steps(id, { seq })) return item;
    return undefined;
  });
  return value?.seq === seq ? value : undefined;
}

function isItemOf({ seq: fanOut }: Step, seq = -1): boolean {
  const { after, before } = itemSeqs(fanOut);
  return seq > after && seq < before;
}
