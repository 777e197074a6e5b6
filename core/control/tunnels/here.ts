import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Fault, openPipe } from "@reeve/model";
import type { TunnelRequest, TunnelResponseSchema } from "@reeve/protocol";
import type { AgentLinks } from "../doors/agents/links.ts";
import type { Heard, Opens, Said, Tunnel } from "./tunnel.ts";

type Word = MessageInitShape<typeof TunnelResponseSchema>;

/** Tunnels to the agents whose life lines end at this replica. */
export interface TunnelsHere {
  /** Undefined when the agent is not connected here. */
  open(agent: string, opens: Opens): Promise<Tunnel> | undefined;
  /** An agent's answer to a dial; `signal` tells that it has gone. */
  answered(
    agent: string,
    requests: AsyncIterable<TunnelRequest>,
    signal: AbortSignal,
  ): AsyncGenerator<Word, void>;
}

const answerMs = 15_000;

export function openTunnelsHere(links: Pick<AgentLinks, "find" | "attach">): TunnelsHere {
  const dialled = new Map<string, { agent: string; found: (tunnel: Tunnel) => void }>();

  return {
    open(agent, opens) {
      const link = links.find(agent);
      if (link === undefined) return undefined;
      const id = randomUUID();
      return new Promise((resolve, reject) => {
        const impatient = setTimeout(() => {
          dialled.delete(id);
          reject(
            new Fault("unavailable", `the agent did not answer within ${answerMs / 1000} s`, {
              next: "try again; an agent that is older than the server must be upgraded first",
            }),
          );
        }, answerMs);
        const found = (tunnel: Tunnel) => {
          clearTimeout(impatient);
          resolve(tunnel);
        };
        dialled.set(id, { agent, found });
        link.dial({ id, ...opens });
      });
    },
    async *answered(agent, requests, signal) {
      const incoming = requests[Symbol.asyncIterator]();
      const first = await incoming.next();
      const message = first.done ? undefined : first.value.message;
      const id = message?.case === "dial" ? message.value : "";
      const dial = dialled.get(id);
      if (dial === undefined || dial.agent !== agent)
        throw new Fault("not_found", "nobody waits for this tunnel");
      dialled.delete(id);
      const said = openPipe<Said>();
      signal.addEventListener("abort", said.stop);
      if (signal.aborted) said.stop();
      const closed = Promise.withResolvers<undefined>();
      const close = () => {
        said.end();
        closed.resolve(undefined);
      };
      const detach = links.attach(agent, () => {
        said.stop();
        close();
      });
      try {
        dial.found({ heard: wordsOf(incoming, closed.promise), say: said.push, close });
        for await (const word of said) yield { message: word };
      } finally {
        detach();
      }
    },
  };
}

/** An agent that goes has said its last, and one that does not hear that it is over is not waited for. */
async function* wordsOf(
  incoming: AsyncIterator<TunnelRequest>,
  closed: Promise<undefined>,
): AsyncGenerator<Heard, void> {
  try {
    for (;;) {
      const next = await Promise.race([incoming.next(), closed]);
      if (next === undefined || next.done) return;
      const { message } = next.value;
      if (message.case === undefined || message.case === "dial") continue;
      yield message as Heard;
      if (message.case === "end") return;
    }
  } catch {
    // Cut off: it has no end.
  }
}
