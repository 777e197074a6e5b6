import type { Caller } from "@reeve/model";
import type { Address } from "@reeve/store";
import type { Context } from "../context.ts";
import { type Reader, readFor, verbRefusal } from "../operations/get.ts";
import type { RouteAnswer } from "../route.ts";
import { type Follower, following } from "../runs/follow.ts";
import type { Live } from "../runs/live.ts";
import { nowAndThen } from "../runs/now-and-then.ts";
import { usedNow } from "./read.ts";

/** A sample comes every 15 s: whoever hears of it this much later misses nothing. */
const lookMs = 3000;

/** When it was heard last what a host, or a service, uses. What that is, is read by who shows it. */
export async function followUsage(
  context: Context,
  live: Live,
  follower: Follower & Reader,
  at: Address,
): Promise<NonNullable<RouteAnswer["events"]>> {
  const resource = await readFor(context, follower, at, "read");
  const { uid } = resource.metadata;
  const read = async () => {
    const used = await usedNow(context.database, [uid]);
    const last = used
      .map((one) => one.at)
      .sort()
      .at(-1);
    const told = { event: "usage", data: { at: last ?? "" } };
    return { parts: new Map(last === undefined ? [] : [["usage", told]]), ended: false };
  };
  const refusal = (caller: Caller | undefined) => verbRefusal(context, caller, at, "read", resource);
  return following(context, live, follower, refusal, { key: `usage ${uid}`, read: nowAndThen(lookMs, read) });
}
