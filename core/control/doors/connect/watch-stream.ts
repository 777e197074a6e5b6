import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { WatchResponseSchema } from "@reeve/protocol";
import type { Context } from "../../context.ts";
import { type WatchRequest, watch } from "../../watch/watch.ts";
import type { Arrival } from "../gate.ts";
import { openPile, type Piled } from "./pile.ts";
import { watchTypes } from "./write-answer.ts";

type Message = MessageInitShape<typeof WatchResponseSchema>;

/** A watch as a stream of messages; it ends with a Fault, or quietly when the client has gone. */
export async function* watchStream(
  context: Context,
  arrival: Arrival,
  request: WatchRequest,
  gone: AbortSignal,
): AsyncGenerator<Message> {
  const pile = openPile();
  const watching = watch(context, arrival, request, pile);
  watching.catch((error: unknown) => pile.end(error));
  const stop = () => {
    pile.close();
    watching.then(
      (leave) => leave(),
      () => {},
    );
  };
  // Not left to `finally`: a write to a client that has gone may never come back to us.
  gone.addEventListener("abort", stop, { once: true });
  try {
    if (gone.aborted) return;
    for (let one = await pile.take(); one !== undefined; one = await pile.take()) yield messageOf(one);
  } finally {
    gone.removeEventListener("abort", stop);
    stop();
  }
}

/** Read only now: until it is sent, a change is one text that all watchers share. */
function messageOf(piled: Piled): Message {
  if (piled.type === "synced")
    return { event: { case: "synced", value: { revision: BigInt(piled.revision) } } };
  const resource = JSON.parse(piled.object) as JsonObject;
  const revision = piled.listed ? 0n : BigInt(piled.revision);
  const value = { type: watchTypes[piled.type], revision, resource };
  return { event: { case: "changed", value } };
}
