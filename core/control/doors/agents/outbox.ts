import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { ControlResponseSchema } from "@reeve/protocol";

export type ControlAnswer = MessageInitShape<typeof ControlResponseSchema>;

/** What waits to be sent to one agent. Nothing goes before the welcome; an agent that does not read is let go. */
export interface Outbox {
  begin(welcome: ControlAnswer): void;
  send(answer: ControlAnswer): void;
  /** Sends what is waiting, then ends the stream; with an error when there was one. */
  end(error?: unknown): void;
  answers(): AsyncGenerator<ControlAnswer>;
}

/** An agent of hundreds of slots is far below it: only one that has stopped reading gets here. */
const mostWaiting = 5000;

export function openOutbox(): Outbox {
  let waiting: ControlAnswer[] = [];
  let begun = false;
  let ended: { readonly error?: unknown } | undefined;
  let ring: (() => void) | undefined;
  const wake = () => ring?.();

  function end(error?: unknown): void {
    ended ??= error === undefined ? {} : { error };
    wake();
  }

  return {
    begin(welcome) {
      waiting.unshift(welcome);
      begun = true;
      wake();
    },
    send(answer) {
      if (ended !== undefined) return;
      waiting.push(answer);
      if (waiting.length > mostWaiting) {
        waiting = [];
        return end(new ConnectError("the agent does not read what it is sent", Code.ResourceExhausted));
      }
      if (begun) wake();
    },
    end,
    async *answers() {
      for (;;) {
        while (begun || ended !== undefined) {
          const next = waiting.shift();
          if (next === undefined) break;
          yield next;
        }
        if (ended?.error !== undefined) throw ended.error;
        if (ended !== undefined) return;
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
      }
    },
  };
}
