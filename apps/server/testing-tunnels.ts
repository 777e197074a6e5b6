import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { openPipe } from "@reeve/model";
import { type Dial, TunnelRequestSchema, type TunnelResponse } from "@reeve/protocol";
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
