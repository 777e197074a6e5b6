import type { LogEnd, LogGap, LogMatch, LogPiece, LogSource, LogStreamName } from "@reeve/model";
import { type FollowOptions, followEvents } from "./follow.ts";
import { isSuccess, parseJson, readText, refusal, type Wire } from "./wire.ts";

/** Which part of a run's output. */
export interface LogQuery {
  /** Only of the step with this seq. */
  readonly seq?: number;
  /** With `seq` only. */
  readonly attempt?: number;
  readonly stream?: LogStreamName;
  /** From this byte on; with `seq` and `stream` only. */
  readonly offset?: number;
  /** What came at this time or later. */
  readonly since?: string;
}

export type LogNews =
  | { readonly event: "piece"; readonly piece: LogPiece }
  | { readonly event: "gap"; readonly gap: LogGap }
  | { readonly event: "ended"; readonly end: LogEnd }
  | { readonly event: "note"; readonly note: Omit<LogSource, "stream"> & { readonly why: string } };

/** What runs have written. */
export interface LogsClient {
  /** What is there and what comes, until all of it has. A lost connection goes on where it was. */
  follow(run: string, query?: LogQuery, options?: FollowOptions): AsyncGenerator<LogNews, void>;
  /** What is there by now: of a run, lines under the names of their steps; of a step, its bytes, with a line where some
   * are missing, or with `raw` without. */
  read(run: string, query?: LogQuery & { readonly raw?: boolean }): AsyncGenerator<Uint8Array, void>;
  /** As a tar archive, a file for each stream of each attempt. */
  archive(run: string): AsyncGenerator<Uint8Array, void>;
  /** Lines that hold the text. */
  search(run: string, text: string, query?: Omit<LogQuery, "offset">): AsyncGenerator<LogMatch, void>;
}

export function openLogs(wire: Wire): LogsClient {
  const at = (run: string, seq?: number) =>
    `/api/v1/runs/${encodeURIComponent(run)}${seq === undefined ? "" : `/steps/${seq}`}/logs`;

  async function* bytes(path: string, query: object): AsyncGenerator<Uint8Array, void> {
    const arrival = await wire.open({ path, query: { ...query } });
    if (!isSuccess(arrival)) throw refusal(arrival, parseJson(await readText(arrival)));
    yield* arrival.chunks;
  }

  return {
    async *follow(run, { seq, ...query } = {}, options) {
      let done = false;
      const call = { path: at(run, seq), query: { ...query, follow: true } };
      for await (const { event, data } of followEvents(wire, call, options, () => done)) {
        if (event === "piece") yield { event, piece: data as LogPiece };
        else if (event === "gap") yield { event, gap: data as LogGap };
        else if (event === "ended") yield { event, end: data as LogEnd };
        else if (event === "note") yield { event, note: data as never };
        else if (event === "done") done = true;
      }
    },
    read: (run, { seq, raw, ...query } = {}) =>
      bytes(at(run, seq), { ...query, ...(raw && { format: "raw" }) }),
    archive: (run) => bytes(at(run), { format: "tar" }),
    async *search(run, q, { seq: step, ...query } = {}) {
      let from: string | undefined;
      do {
        const { body } = await wire.send({
          path: `${at(run)}/search`,
          query: { q, step, ...query, continue: from },
        });
        const { items, continue: next } = body as { items: LogMatch[]; continue?: string };
        yield* items;
        from = next;
      } while (from !== undefined);
    },
  };
}
