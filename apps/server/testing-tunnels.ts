import { once } from "node:events";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { openPipe } from "@reeve/model";
import { type Dial, TunnelRequestSchema, type TunnelResponse } from "@reeve/protocol";
import { WebSocket } from "ws";
import type { TestServer } from "./testing.ts";
import type { AgentClient } from "./testing-agents.ts";

type Word = NonNullable<MessageInitShape<typeof TunnelRequestSchema>["message"]>;

/** An agent's side of a tunnel, as a test plays it. */
export interface AgentTunnel {
  say(word: Word): Promise<void>;
  /** What has come from the person. */
  readonly heard: TunnelResponse["message"][];
  /** Resolves when the control plane has closed it; rejects when it refused. */
  readonly closed: Promise<void>;
  cut(): void;
}

export function answerDial(client: AgentClient, { id }: Pick<Dial, "id">): AgentTunnel {
  const words = openPipe<Word>();
  const heard: TunnelResponse["message"][] = [];
  const cutting = new AbortController();
  async function* requests() {
    yield create(TunnelRequestSchema, { message: { case: "dial", value: id } });
    for await (const message of words) yield create(TunnelRequestSchema, { message });
  }
  async function listen(): Promise<void> {
    for await (const { message } of client.tunnel(requests(), { signal: cutting.signal }))
      heard.push(message);
  }
  const closed = listen();
  closed.catch(() => undefined);
  return { say: words.push, heard, closed, cut: () => cutting.abort() };
}

/** A terminal as a browser or the command line opens it. */
export async function openTerminal(server: TestServer, token: string, ticket: string, headers: object = {}) {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/v1/terminals`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const texts: { end?: object; problem?: { detail: string } }[] = [];
  let shown = "";
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) shown += data.subarray(1).toString();
    else texts.push(JSON.parse(String(data)));
  });
  const closed = once(socket, "close");
  await once(socket, "open");
  socket.send(JSON.stringify({ ticket, size: { rows: 10, columns: 20 } }));
  return { socket, texts, closed, shown: () => shown };
}
