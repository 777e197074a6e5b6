import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { openPipe } from "@reeve/model";
import { type Dial, TunnelRequestSchema, type TunnelResponse } from "@reeve/protocol";
import { onTestFinished } from "vitest";
import type { AgentClient, Lifeline } from "./testing-agents.ts";

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

/** Answers every dial from now on; a follower is told the same and kept. */
export function answerDials(
  { client, line }: { client: AgentClient; line: Lifeline },
  answers: Readonly<Record<string, (asked: string) => unknown>>,
): void {
  const timer = setInterval(() => {
    for (;;) {
      const at = line.heard.findIndex(({ message }) => message.case === "dial");
      if (at < 0) return;
      const dial = line.heard.splice(at, 1)[0]?.message.value as Dial;
      const tunnel = answerDial(client, dial);
      const answer = answers[dial.opens]?.(dial.with) ?? "";
      const text = typeof answer === "string" ? answer : JSON.stringify(answer);
      void tunnel.say({ case: "data", value: Buffer.from(text) });
      if (!/"follow":true/.test(dial.with)) void tunnel.say({ case: "end", value: { exitCode: 0 } });
    }
  }, 20);
  onTestFinished(() => clearInterval(timer));
}
