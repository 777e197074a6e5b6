import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type BeatSchema,
  type ControlRequest,
  ControlRequestSchema,
  type FinishSchema,
  type HelloSchema,
  type ObservationSchema,
  type UsageSchema,
} from "@reeve/protocol/agent";
import type { AttemptKey } from "../attempt-key.ts";

type Message = NonNullable<MessageInitShape<typeof ControlRequestSchema>["message"]>;

/**
 * What waits to be sent on one Control stream. Accepts and finishes that gather while the stream is busy go together; a beat
 * overtakes them, so that no amount of work delays it.
 */
export interface Outbox {
  hello(hello: MessageInitShape<typeof HelloSchema>): void;
  beat(beat: MessageInitShape<typeof BeatSchema>): void;
  accept(keys: readonly AttemptKey[]): void;
  finish(finishes: readonly MessageInitShape<typeof FinishSchema>[]): void;
  /** What is newer of a resource takes the place of what still waits. */
  observe(observations: readonly MessageInitShape<typeof ObservationSchema>[]): void;
  /** All that is kept, for the first of them. */
  kept(uids: readonly string[]): void;
  /** What is newer of the same time takes the place of what still waits. */
  usage(usage: MessageInitShape<typeof UsageSchema>): void;
  leave(): void;
  messages(): AsyncGenerator<ControlRequest>;
  close(): void;
}

/** Well below the message limit of the agents' port, 4 MB. */
const mostAtOnce = 1000;
const mostOutputChars = 1_000_000;
const mostSeen = 50;

export function openOutbox(freeSlots: () => number): Outbox {
  const urgent: Message[] = [];
  const accepts: AttemptKey[] = [];
  const finishes: MessageInitShape<typeof FinishSchema>[] = [];
  const observations = new Map<string, MessageInitShape<typeof ObservationSchema>>();
  const usages = new Map<bigint, MessageInitShape<typeof UsageSchema>>();
  let kept: readonly string[] | undefined;
  let wake: (() => void) | undefined;
  let leaving = false;
  let closed = false;

  function next(): Message | undefined {
    const first = urgent.shift();
    if (first !== undefined) return first;
    if (finishes.length > 0)
      return {
        case: "finishes",
        value: { finishes: finishes.splice(0, fitting(finishes)), freeSlots: freeSlots() },
      };
    if (accepts.length > 0)
      return {
        case: "accepts",
        value: { attempts: accepts.splice(0, mostAtOnce), freeSlots: freeSlots() },
      };
    if (observations.size > 0 || kept !== undefined) return { case: "observations", value: seenNext() };
    for (const [from, value] of usages) {
      usages.delete(from);
      return { case: "usage", value };
    }
    if (!leaving) return undefined;
    leaving = false;
    return { case: "leave", value: {} };
  }

  function seenNext() {
    const some = [...observations].slice(0, mostSeen);
    for (const [uid] of some) observations.delete(uid);
    const all = kept === undefined ? {} : { all: true, kept: [...kept] };
    kept = undefined;
    return { observations: some.map(([, one]) => one), ...all };
  }

  function stir(): void {
    wake?.();
    wake = undefined;
  }

  return {
    hello(value) {
      urgent.push({ case: "hello", value });
      stir();
    },
    beat(value) {
      urgent.push({ case: "beat", value });
      stir();
    },
    leave() {
      leaving = true;
      stir();
    },
    accept(keys) {
      accepts.push(...keys);
      stir();
    },
    finish(more) {
      finishes.push(...more);
      stir();
    },
    observe(more) {
      for (const one of more) observations.set(one.uid ?? "", one);
      stir();
    },
    usage(one) {
      usages.set(one.from?.seconds ?? 0n, one);
      stir();
    },
    kept(uids) {
      kept = uids;
      stir();
    },
    async *messages() {
      while (!closed) {
        const message = next();
        if (message !== undefined) yield create(ControlRequestSchema, { message });
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
    close() {
      closed = true;
      stir();
    },
  };
}

function fitting(finishes: readonly MessageInitShape<typeof FinishSchema>[]): number {
  let chars = 0;
  const over = finishes.findIndex((one, at) => {
    chars += (one.outputs?.length ?? 0) + (one.why?.length ?? 0);
    return at >= mostAtOnce || (at > 0 && chars > mostOutputChars);
  });
  return over === -1 ? finishes.length : over;
}
