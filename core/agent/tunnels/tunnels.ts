import { setTimeout as sleep } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type JsonObject, openPipe, type Pipe } from "@reeve/model";
import type { Dial, TunnelRequestSchema, TunnelResponse } from "@reeve/protocol/agent";
import type { LineEnd, Opener, Typed } from "./opener.ts";

type Word = MessageInitShape<typeof TunnelRequestSchema>;

export type OpenTunnelStream = (
  words: AsyncIterable<Word>,
  signal: AbortSignal,
) => AsyncIterable<TunnelResponse>;

export interface Tunnels {
  dial(dial: Dial): void;
  close(): Promise<void>;
}

/** More people than this do not look at one host at once. */
const mostAtOnce = 64;
/** Bytes that were typed and not taken, and how long they may be. */
const mostTyped = 1024 ** 2;
const takeMs = 60_000;
/** Whoever does not take the last word has gone. */
const lastWordMs = 5000;

/** What people look at on this host. Each has a stream of its own; either end's going ends the other. */
export function openTunnels(
  openers: readonly Opener[],
  stream: OpenTunnelStream,
  log: (text: string) => void,
): Tunnels {
  const closing = new AbortController();
  const open = new Set<Promise<void>>();

  async function serve({ id, opens, with: asked }: Dial): Promise<void> {
    const words = openPipe<Word>();
    const typed = openPipe<Typed>();
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, closing.signal]);
    const hearing = hear(stream(words, signal), typed)
      .catch((error: Error) => log(`a person's line was cut: ${error.message}`))
      .finally(() => {
        typed.end();
        words.stop();
        gone.abort();
      });
    await words.push({ message: { case: "dial", value: id } });
    const line = {
      typed,
      signal,
      show: (value: Uint8Array, name: "stdout" | "stderr" = "stdout") =>
        words.push({ message: { case: name === "stderr" ? "errors" : "data", value } }),
    };
    const end = await run(opens, JSON.parse(asked) as JsonObject, line);
    typed.stop();
    const impatient = setTimeout(() => gone.abort(), lastWordMs);
    await words.push({ message: { case: "end", value: { why: "", ...end } } });
    words.end();
    await hearing;
    clearTimeout(impatient);
  }

  async function run(name: string, asked: JsonObject, line: Parameters<Opener["open"]>[1]): Promise<LineEnd> {
    const opener = openers.find((one) => one.name === name);
    if (opener === undefined) return { why: `the agent of this host cannot open ${name}: it may be too old` };
    if (open.size > mostAtOnce) return { why: `${mostAtOnce} people look at this host already` };
    return opener.open(asked, line).catch((error: Error): LineEnd => ({ why: error.message }));
  }

  return {
    dial(dial) {
      const served = serve(dial)
        .catch((error: Error) => log(`what a person looked at could not be opened: ${error.message}`))
        .finally(() => open.delete(served));
      open.add(served);
    },
    async close() {
      closing.abort();
      await Promise.all(open);
    },
  };
}

/**
 * What is typed waits for whatever runs to take it. While too much does, nothing more is read, and so the person's leaving is not
 * noticed: after a while nobody is expected to take it any more.
 */
async function hear(responses: AsyncIterable<TunnelResponse>, typed: Pipe<Typed>): Promise<void> {
  let waiting = 0;
  for await (const { message } of responses) {
    if (message.case === "done") typed.end();
    if (message.case !== "data" && message.case !== "size") continue;
    const bytes = message.case === "data" ? message.value.length : 0;
    waiting += bytes;
    const taken = typed.push(message).then(() => {
      waiting -= bytes;
    });
    if (waiting > mostTyped) await Promise.race([taken, tooLong()]);
  }
}

async function tooLong(): Promise<never> {
  await sleep(takeMs, undefined, { ref: false });
  throw new Error("what was typed was not taken");
}
