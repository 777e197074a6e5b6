import { constants } from "node:os";
import type { Attempt } from "./attempt.ts";
import type { Ending } from "./attempts.ts";
import type { Outputs } from "./outputs.ts";
import type { ShimRecord } from "./record.ts";

/** Why an attempt is being ended by us. */
export interface Stop {
  readonly outcome: "cancelled" | "failed" | "lost";
  readonly why: string;
}

export interface Facts {
  readonly record: ShimRecord & { readonly exit: NonNullable<ShimRecord["exit"]> };
  readonly stop: Stop | undefined;
  readonly outputs: Outputs;
  /** The limit it ran into, in words, when its group tells. */
  readonly outOfMemory: string | undefined;
}

/** How an attempt ended whose shim lived to write it down. */
export function endingOf({ record, stop, outputs, outOfMemory }: Facts): Ending {
  const { exit, startedAt } = record;
  const name = signalOf(exit);
  const base = {
    ...(name ? { signal: name } : { exitCode: exit.code }),
    ...(outputs.good && outputs.outputs && { outputs: outputs.outputs }),
    startedAt,
    endedAt: exit.at,
    final: false,
  };
  if (stop) return { ...base, outcome: stop.outcome, why: stop.why };
  if (outOfMemory) return { ...base, outcome: "failed", why: `ran out of memory: ${outOfMemory}` };
  if (name) return { ...base, outcome: "failed", why: killedBy(name) };
  if (exit.code !== 0) return { ...base, outcome: "failed", why: `exit code ${exit.code}` };
  if (!outputs.good) return { ...base, outcome: "failed", why: outputs.why };
  return { ...base, outcome: "succeeded", why: "" };
}

/** Ended by us before, or instead of, its body. */
export function stoppedEnding({ stop, startedAt }: Pick<Attempt, "stop" | "startedAt">): Ending {
  const { outcome, why } = stop ?? { outcome: "cancelled", why: "stopped" };
  return { outcome, why, endedAt: new Date(), final: false, ...(startedAt && { startedAt }) };
}

/** The spawner could not start it. What is wrong with the step is final; what is wrong with the host just now is not. */
export function refusedEnding({ code, path }: { readonly code: string; readonly path: string }): Ending {
  const refusal = refusals[code] ?? { why: `the body could not be started: ${code}`, final: false };
  const why = path ? `${refusal.why} (${path})` : refusal.why;
  return { outcome: "failed", ...refusal, why, endedAt: new Date() };
}

const full = {
  why: "the agent's disk is full: the body was not started; free some space there",
  final: false,
  noRoom: true,
} as const;
const crowded = { why: "the host has no room for another process or open file", final: false };
const noFolder = { why: "the working folder does not exist on this host", final: true };

const refusals: Readonly<Record<string, Pick<Ending, "why" | "final" | "noRoom">>> = {
  ENOSPC: full,
  EDQUOT: full,
  EAGAIN: crowded,
  ENOMEM: crowded,
  EMFILE: crowded,
  ENFILE: crowded,
  ENOENT: noFolder,
  ENOTDIR: noFolder,
  E2BIG: { why: "the command and its environment are too large for this host", final: true },
};

export function killedBy(name: string): string {
  return name === "SIGKILL" ? "killed by SIGKILL (perhaps out of memory)" : `killed by ${name}`;
}

/**
 * A shell says 128 + n for a signal n, and so may a body that exits. The shim's shell has a word about each signal, save about the
 * two that it keeps quiet.
 */
function signalOf({ code, words }: { readonly code: number; readonly words: string }): string | undefined {
  const name = code > 128 ? signalNames.get(code - 128) : undefined;
  return name && (words !== "" || name === "SIGINT" || name === "SIGPIPE") ? name : undefined;
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** `90s`, `5m`, `1h 30m`, as people write it. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor((seconds % 3600) / 60), "m"],
    [seconds % 60, "s"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(" ");
}
