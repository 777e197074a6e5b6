import type { TestServer } from "./testing.ts";
import {
  type AgentClient,
  agentsAddress,
  clientOf,
  join,
  joinToken,
  type Lifeline,
  lifeline,
} from "./testing-agents.ts";

/** An agent that is only a link. */
export interface Linked {
  readonly client: AgentClient;
  readonly line: Lifeline;
  readonly uid: string;
}

export async function linked(
  server: TestServer,
  name: string,
  executors: readonly string[],
  more: object = {},
  scope = "",
): Promise<Linked> {
  const address = await agentsAddress(server);
  const identity = await join(address, (await joinToken(server, {}, scope)).text, name);
  const client = clientOf(address, identity);
  const line = lifeline(client);
  const facts = { os: "linux", arch: "x64", agentVersion: "test", executors, ...more };
  line.say({ case: "hello", value: { session: line.session, facts, slots: 4, inventory: [] } } as never);
  await line.hear("welcome");
  return { client, line, uid: identity.answer.hostUid };
}

export const keeping = ["service-prepare", "service-keep", "service-act", "service-remove"];

/** What the agent is given when it asks for a file. */
export async function fetched({ client }: Linked, name: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const { data } of client.fetch({ name })) pieces.push(data);
  return Buffer.concat(pieces).toString("utf8");
}
