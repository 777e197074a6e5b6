import { readFileSync, writeFileSync } from "node:fs";
import { type AttemptKey, keyText } from "../attempt-key.ts";
import type { Ending } from "./attempts.ts";
import type { Stop } from "./ending.ts";
import type { Layout } from "./layout.ts";

/** What the agent knows of one attempt it holds. */
export interface Attempt {
  readonly key: AttemptKey;
  readonly name: string;
  readonly layout: Layout;
  readonly kept: KeptOrder;
  /** Undefined when it is not known any more. */
  readonly hide: readonly string[] | undefined;
  /** Nothing is on the disk: the body runs inside the agent and has written nothing. */
  silent: boolean;
  /** It may have control groups. */
  limited: boolean;
  /** The body's process is led by this one; as its record tells, when another process of ours started it. */
  shim?: { readonly pid: number; readonly pidStart: string; readonly begunMs?: number };
  startedAt?: Date;
  /** How its shim ended, if a spawner told; null by a signal. */
  shimCode?: number | null;
  /** Ends a body inside the agent. */
  readonly abort: AbortController;
  /** Its body waits, as its output cannot be shipped as fast as it writes. */
  held: boolean;
  stop?: Stop;
  ending?: Ending;
  forgotten: boolean;
  shipped: boolean;
}

/** What the next process of the agent must know; it holds secrets, so it is kept where the files are. */
export interface KeptOrder {
  readonly exclusive: boolean;
  readonly hide: readonly string[];
  readonly finishMs?: number;
  readonly heartbeatMs?: number;
}

/** As that of most: it is not written, which is a good part of what a short step costs. */
export const plainOrder: KeptOrder = { exclusive: false, hide: [] };

export function saysNothing({ exclusive, hide, finishMs, heartbeatMs }: KeptOrder): boolean {
  return !exclusive && hide.length === 0 && finishMs === undefined && heartbeatMs === undefined;
}

export function newAttempt(
  key: AttemptKey,
  layout: Layout,
  kept: KeptOrder,
  hide: readonly string[] | undefined,
): Attempt {
  return {
    key,
    name: keyText(key),
    layout,
    kept,
    hide,
    silent: false,
    limited: false,
    held: false,
    abort: new AbortController(),
    forgotten: false,
    shipped: false,
  };
}

export function readOrder(layout: Layout): KeptOrder | undefined {
  return readJson(layout.order) as KeptOrder | undefined;
}

/** Told to the next process of the agent, too: a body that ends by our SIGTERM has not failed. */
export function noteStop({ layout }: Attempt, stop: Stop): void {
  try {
    writeFileSync(layout.stop, JSON.stringify(stop), { mode: 0o600 });
  } catch {
    // No room: then only this process knows why.
  }
}

export function readStop(layout: Layout): Stop | undefined {
  return readJson(layout.stop) as Stop | undefined;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
