import { isObject } from "@reeve/model";
import { CallFault } from "./call-fault.ts";
import { eventStream } from "./event-stream.ts";
import { retryDelayMs, standardRetry } from "./retry.ts";
import { sleep } from "./sleep.ts";
import { endOf } from "./watch.ts";
import { type Call, parseJson, type Wire } from "./wire.ts";

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Begin after the event with this id, as if it had been the last one heard. */
  readonly after?: string | number;
  /** Called when the connection was lost; it is taken up again by itself. */
  readonly onLost?: (fault: CallFault, waitMs: number) => void;
  /** Called when it is there again. */
  readonly onFound?: () => void;
}

const stallMs = 45_000;

/**
 * The events of a stream. After a lost connection it goes on after the last event that had an id; what has no ids tells all of
 * itself again. Ends with the stream when `over` says so; any other end is a lost connection, unless it is a refusal.
 */
export async function* followEvents(
  wire: Wire,
  call: Pick<Call, "path" | "query">,
  { signal, onLost, onFound, after }: FollowOptions = {},
  over: () => boolean,
): AsyncGenerator<{ event: string; data: object }, void> {
  let failures = 0;
  let heard = false;
  let lastId = after === undefined ? "" : String(after);
  while (!signal?.aborted) {
    let lost: CallFault | undefined;
    try {
      const asked = { ...call, ...(lastId && { headers: { "last-event-id": lastId } }), signal };
      for await (const batch of eventStream(wire, asked, stallMs)) {
        if (failures > 0) onFound?.();
        failures = 0;
        for (const event of batch) {
          heard = true;
          if (event.event === "end") throw endOf(event);
          // An event without an id, first on a new connection, must not make it forget where it was.
          if (event.id !== "") lastId = event.id;
          const data = parseJson(event.data);
          if (isObject(data)) yield { event: event.event, data };
        }
      }
      if (over()) return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof CallFault)) throw error;
      if (!error.retryable || (!heard && failures + 1 >= standardRetry.attempts)) throw error;
      lost = error;
    }
    const waitMs = retryDelayMs(failures++, lost?.retryAfterMs);
    onLost?.(lost ?? new CallFault("unavailable", "the server ended the connection"), waitMs);
    await sleep(waitMs, signal).catch(() => undefined);
  }
}
