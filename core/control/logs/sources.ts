import type { LogSource, LogStreamName, RunGraph } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { type LoggedAttempt, readLoggedAttempts } from "@reeve/store/logs";

/** The attempts of a run that have output, and how people call them. Read again when an unknown one turns up. */
export interface Sources {
  of(row: { seq: number; epoch: number; stream: LogStreamName }): Promise<LogSource>;
  refresh(): Promise<readonly LoggedAttempt[]>;
}

export function openSources(sql: Sql, run: string, graph: RunGraph, seq?: number): Sources {
  let known = new Map<string, LoggedAttempt>();
  const keyOf = (row: { seq: number; epoch: number }) => `${row.seq} ${row.epoch}`;
  async function refresh() {
    const attempts = await readLoggedAttempts(sql, run, seq);
    known = new Map(attempts.map((attempt) => [keyOf(attempt), attempt]));
    return attempts;
  }
  return {
    refresh,
    async of(row) {
      if (!known.has(keyOf(row))) await refresh();
      const attempt = known.get(keyOf(row));
      return sourceOf(graph, attempt ?? { seq: row.seq, attempt: 0, def: -1, firstItem: null }, row.stream);
    },
  };
}

type Named = Pick<LoggedAttempt, "seq" | "attempt" | "def" | "firstItem">;

export function sourceOf(graph: RunGraph, attempt: Named, stream: LogStreamName): LogSource {
  const name = graph.steps[attempt.def]?.name ?? `step ${attempt.seq}`;
  const step = attempt.firstItem === null ? name : `${name}[${attempt.seq - attempt.firstItem}]`;
  return { seq: attempt.seq, step, attempt: attempt.attempt, stream };
}
