import type { LogsRequest, LogsResponse } from "@reeve/protocol";
import type { Database } from "@reeve/store";
import type { Log } from "../controller.ts";
import { type LogNews, openLogNews } from "./news.ts";
import { receiveLogs } from "./receive.ts";
import { type LogWriter, openLogWriter } from "./writer.ts";

/**
 * The logs of runs on this replica: taking them from agents, and following them. What an agent is told to be durable has been
 * committed.
 */
export interface Logs {
  /** The Logs stream of one agent, known by its uid. Chunks of many agents share transactions. Ends with the requests. */
  receive(agent: string, requests: AsyncIterable<LogsRequest>): AsyncIterable<LogsResponse>;
  readonly news: LogNews;
  /** For `debug` and metrics. */
  readonly figures: LogWriter["figures"] & { readonly followers: number };
  stop(): void;
}

export function openLogs(database: Database, log: Log): Logs {
  const news = openLogNews(database, log);
  const writer = openLogWriter(database, news.written);
  return {
    receive: (agent, requests) => receiveLogs(writer, agent, requests),
    news,
    get figures() {
      return { ...writer.figures, followers: news.followers };
    },
    stop() {
      news.stop();
    },
  };
}
