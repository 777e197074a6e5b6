import { isObject, type Resource } from "@reeve/model";
import { CallFault, faultFromProblem } from "./call-fault.ts";
import { eventStream } from "./event-stream.ts";
import { retryDelayMs, standardRetry } from "./retry.ts";
import { type Selection, selectionQuery } from "./selection.ts";
import { sleep } from "./sleep.ts";
import type { SseEvent } from "./sse.ts";
import { type WatchEvent, watchMemory } from "./watch-memory.ts";
import { parseJson, type Wire } from "./wire.ts";

export interface WatchQuery<R = Resource> extends Selection {
  /** Begin after this revision; without it, everything there is comes first as `added`. */
  readonly since?: number;
  /** What the caller already holds, with `since`: lets a start-over tell what vanished of it. */
  readonly known?: Iterable<R>;
  readonly signal?: AbortSignal;
  /** Called when everything up to a revision has been told. */
  readonly onSynced?: (revision: number) => void;
  /** Called when the connection was lost; the watch goes on by itself. */
  readonly onLost?: (fault: CallFault, waitMs: number) => void;
  readonly stallMs?: number;
}

const stallMs = 45_000;

/**
 * The changes of a collection until the signal ends it. A lost connection resumes after the last id; a revision no longer kept
 * starts over from a full listing. Before the first full listing is complete there is no place to resume from, so
 * that one starts over too. Only a first connection that never comes about, or a refusal, ends it with a fault.
 */
export async function* watch<R extends Resource>(
  wire: Wire,
  path: string,
  query: WatchQuery<R> = {},
): AsyncGenerator<WatchEvent<R>, void> {
  const { signal } = query;
  const memory = watchMemory(query.known);
  let place = query.since === undefined ? undefined : String(query.since);
  let heard = false;
  let failures = 0;
  while (!signal?.aborted) {
    if (place === undefined) memory.startOver();
    const from =
      place === undefined ? {} : heard ? { headers: { "last-event-id": place } } : { since: place };
    let lost: CallFault | undefined;
    try {
      for await (const batch of connection(wire, path, query, from)) {
        failures = 0;
        for (const event of batch) {
          heard = true;
          if (event.event === "end") throw endOf(event);
          if (event.event === "synced") {
            place = event.id;
            yield* memory.caughtUp();
            query.onSynced?.(Number(event.id));
            continue;
          }
          const change = readChange<R>(event);
          const news = change === undefined ? undefined : memory.take(change);
          if (place !== undefined) place = event.id;
          if (news !== undefined) yield news;
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof CallFault)) throw error;
      if (error.kind === "gone" && place !== undefined) {
        place = undefined;
        continue;
      }
      if (!error.retryable || (!heard && failures + 1 >= standardRetry.attempts)) throw error;
      lost = error;
    }
    const waitMs = retryDelayMs(failures++, lost?.retryAfterMs);
    query.onLost?.(lost ?? new CallFault("unavailable", "the server ended the connection"), waitMs);
    await sleep(waitMs, signal).catch(() => undefined);
  }
}

interface From {
  readonly since?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function connection<R>(
  wire: Wire,
  path: string,
  query: WatchQuery<R>,
  from: From,
): AsyncGenerator<SseEvent[], void> {
  const call = {
    path,
    query: {
      ...selectionQuery(query),
      watch: true,
      ...(from.since === undefined ? {} : { since: from.since }),
    },
    ...(from.headers === undefined ? {} : { headers: from.headers }),
    signal: query.signal,
  };
  return eventStream(wire, call, query.stallMs ?? stallMs);
}

/** Events of a name we do not know are a newer server's, and not for us. */
function readChange<R>({ event, data }: SseEvent): WatchEvent<R> | undefined {
  if (event !== "added" && event !== "modified" && event !== "removed") return undefined;
  const body = parseJson(data);
  if (!isObject(body) || !isObject(body.resource))
    throw new CallFault("internal", `the watch told something unreadable: ${data.slice(0, 100)}`);
  return { type: event, resource: body.resource as unknown as R };
}

/** Whoever lost a right hears so upon reconnecting, so every end but `gone` is a reason to come back. */
export function endOf({ data }: SseEvent): CallFault {
  const body = parseJson(data);
  const told = faultFromProblem(isObject(body) ? (body.problem ?? body) : undefined);
  return new CallFault(told.kind, told.message, {
    retryable: true,
    ...(told.retryAfterMs === undefined ? {} : { retryAfterMs: told.retryAfterMs }),
  });
}
