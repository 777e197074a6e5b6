import type { LogsRequest, LogsResponse } from "@reeve/protocol";
import type { Database } from "@reeve/store";
import type { Log } from "../controller.ts";
import type { LogArchive } from "./archive.ts";
import { openHints } from "./hints.ts";
import { type LogNews, openLogNews } from "./news.ts";
import { openPace } from "./pace.ts";
import type { LogPlaces } from "./read.ts";
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
  /** People wait, here or at another replica: output is taken more slowly for a while. */
  hurry(): void;
  readonly places: LogPlaces;
  /** For `debug` and metrics. */
  readonly figures: LogWriter["figures"] & { readonly followers: number };
  stop(): void;
}

export interface LogLimits {
  /** Taken from one agent, before it was packed. */
  readonly bytesPerSecond: number;
  /** Kept of one run, packed. */
  readonly bytesOfRun: number;
}

/** `tellPeers` is told which runs have new output, for those who follow them at other replicas. */
export function openLogs(
  database: Database,
  limits: LogLimits,
  log: Log,
  tellPeers: (runs: readonly string[]) => void = () => {},
  archive?: LogArchive,
): Logs {
  const news = openLogNews(database, log);
  const hint = openHints(tellPeers);
  const writer = openLogWriter(database, limits.bytesOfRun, (runs) => {
    news.written(runs);
    hint(runs);
  });
  const pace = openPace(limits.bytesPerSecond);
  return {
    receive: (agent, requests) => receiveLogs({ writer, pace }, agent, requests),
    news,
    hurry: pace.slow,
    places: { database, archive },
    get figures() {
      return { ...writer.figures, followers: news.followers };
    },
    stop() {
      news.stop();
    },
  };
}
