import {
  type LogEnd,
  type LogGap,
  type LogLine,
  type LogMatch,
  type LogPage,
  type LogPiece,
  type LogSource,
  type LogStreamName,
  openLogLines,
} from "@reeve/model";
import { type FollowOptions, followEvents } from "./follow.ts";
import { type Call, isSuccess, parseJson, readText, refusal, type Wire } from "./wire.ts";

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

/** What a viewer looks at. */
export type LogPart = Pick<LogQuery, "seq" | "attempt" | "stream">;

/** What there was when it was counted, page by page, and where following goes on. */
export type LogIndexNews =
  | { readonly page: LogPage }
  | { readonly end: { readonly after: number; readonly open: readonly string[] } };

/** What runs have written. */
export interface LogsClient {
  /** What is there and what comes, until all of it has. A lost connection goes on where it was. */
  follow(run: string, query?: LogQuery, options?: FollowOptions): AsyncGenerator<LogNews, void>;
  /** How many lines there are, and where. */
  index(run: string, part?: LogPart, signal?: AbortSignal): AsyncGenerator<LogIndexNews, void>;
  /** The lines of a page, at most 1000 at once. */
  lines(
    run: string,
    part: LogPart,
    page: Pick<LogPage, "after" | "to" | "open">,
    skip?: number,
    signal?: AbortSignal,
  ): Promise<readonly LogLine[]>;
  /** What is there by now: of a run, lines under the names of their steps; of a step, its bytes, with a line where some
   * are missing, or with `raw` without. */
  read(run: string, query?: LogQuery & { readonly raw?: boolean }): AsyncGenerator<Uint8Array, void>;
  /** As a tar archive, a file for each stream of each attempt. */
  archive(run: string): AsyncGenerator<Uint8Array, void>;
  /** Lines that hold the text. */
  search(
    run: string,
    text: string,
    query?: Omit<LogQuery, "offset"> & { readonly ignoreCase?: boolean },
  ): AsyncGenerator<LogMatch, void>;
  /** Lines that look like errors. */
  errors(run: string, part?: LogPart): AsyncGenerator<LogMatch, void>;
}

export function openLogs(wire: Wire): LogsClient {
  const at = (run: string, seq?: number) =>
    `/api/v1/runs/${encodeURIComponent(run)}${seq === undefined ? "" : `/steps/${seq}`}/logs`;

  async function* bytes(path: string, query: object, signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const arrival = await wire.open({ path, query: { ...query }, signal });
    if (!isSuccess(arrival)) throw refusal(arrival, parseJson(await readText(arrival)));
    yield* arrival.chunks;
  }

  async function* matches(run: string, query: Call["query"]): AsyncGenerator<LogMatch, void> {
    let from: string | undefined;
    do {
      const { body } = await wire.send({ path: `${at(run)}/search`, query: { ...query, continue: from } });
      const { items, continue: next } = body as { items: LogMatch[]; continue?: string };
      yield* items;
      from = next;
    } while (from !== undefined);
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
    async *index(run, { seq: step, ...part } = {}, signal) {
      const query = { step, ...part };
      const rows = jsonRows(bytes(`${at(run)}/index`, query, signal));
      for await (const row of rows)
        yield "end" in row ? (row as LogIndexNews) : { page: row as unknown as LogPage };
    },
    async lines(run, { seq: step, ...part }, { after, to, open }, skip, signal) {
      const query = { step, ...part, after, to, skip, ...(open.length > 0 && { open: open.join(",") }) };
      const { body } = await wire.send({ path: `${at(run)}/lines`, query, signal });
      return (body as { items: LogLine[] }).items;
    },
    search: (run, q, { seq: step, ignoreCase, ...query } = {}) =>
      matches(run, { q, step, ...query, ...(ignoreCase && { case: "ignore" }) }),
    errors: (run, { seq: step, ...part } = {}) => matches(run, { errors: true, step, ...part }),
  };
}

/** One JSON object a line. */
async function* jsonRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<object, void> {
  const lines = openLogLines();
  for await (const chunk of chunks) for (const line of lines.push("", chunk)) yield JSON.parse(line);
}
