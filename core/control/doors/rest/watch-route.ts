import { Fault } from "@reeve/model";
import { type WatchSink, watch } from "../../watch/watch.ts";
import type { Target } from "./address.ts";
import { listRequest, type Query, whole } from "./query.ts";
import type { RestRequest } from "./resources.ts";
import { beginEvents, eventOut, watchEvents } from "./sse.ts";

/** A list as a stream of its changes. */
export async function watchRoute(
  { context, arrival, request, reply }: RestRequest,
  target: Target,
  query: Query,
): Promise<void> {
  const lastId = request.headers["last-event-id"];
  const since = whole(
    typeof lastId === "string" ? { since: lastId } : query,
    "since",
    0,
    Number.MAX_SAFE_INTEGER,
  );
  const { raw } = reply;
  let begun = false;
  const stream = watchEvents(eventOut(raw, arrival.origin.requestId));
  const begin = () => {
    if (begun) return;
    begun = true;
    beginEvents(reply, arrival.origin.requestId);
  };
  // The head goes out with the first word, so that a refusal can still be an ordinary answer.
  const sink: WatchSink = {
    tell(batch, chunk) {
      begin();
      return stream.tell(batch, chunk);
    },
    synced(revision) {
      begin();
      stream.synced(revision);
    },
    end(fault) {
      begin();
      stream.end(fault);
    },
  };
  try {
    const leave = await watch(
      context,
      { ...arrival },
      { ...listRequest(target, query), ...(since === undefined ? {} : { since }) },
      sink,
    );
    if (raw.destroyed) leave();
    else raw.on("close", leave);
  } catch (error) {
    if (!begun) throw error;
    stream.end(
      error instanceof Fault
        ? error
        : new Fault("unavailable", "the watch was interrupted", { retryAfterMs: 1000 }),
    );
  }
}
