import type { LogsRequest, LogsResponse } from "@reeve/protocol";

/**
 * The logs of runs on this replica: taking them from agents, and following them. What an agent is told to be durable has been
 * committed.
 */
export interface Logs {
  /** The Logs stream of one agent, known by its uid. Chunks of many agents share transactions. Ends with the requests. */
  receive(agent: string, requests: AsyncIterable<LogsRequest>): AsyncIterable<LogsResponse>;
}
