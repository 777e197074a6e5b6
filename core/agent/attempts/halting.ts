import { type Attempt, noteStop } from "./attempt.ts";
import { type Stop, spanText } from "./ending.ts";
import { clearGroups, groupsOf } from "./groups.ts";
import type { Host } from "./launch.ts";
import { isAlive, signalGroup } from "./processes.ts";
import { readRecord } from "./record.ts";

/**
 * Lets attempts wait and go on, and ends them: SIGTERM to the group, after the grace SIGKILL, to its control groups too. What escaped into a session of its own
 * is found when the shim is gone (settle.ts). `unkillable` is told of one that has no process: it runs inside the agent.
 */
export function openHalting(host: Host, unkillable: (attempt: Attempt) => void) {
  const killing = new Map<string, { readonly atMs: number; readonly timer: NodeJS.Timeout }>();

  /** The guard of an exclusive attempt is in its group, and must not wait. */
  function hold(attempt: Attempt, held: boolean): void {
    if (!attempt.shim || attempt.held === held || attempt.kept.exclusive || attempt.stop || attempt.ending)
      return;
    attempt.held = held;
    signal(attempt, held ? "SIGSTOP" : "SIGCONT");
  }

  function halt(attempt: Attempt, graceMs: number, stop: Stop): void {
    if (attempt.ending || (attempt.shim && readRecord(attempt.layout.record)?.exit)) return;
    const atMs = performance.now() + graceMs;
    const due = killing.get(attempt.name);
    // The control plane says it again every few seconds until it hears the end; the grace is given once.
    if (due !== undefined && due.atMs <= atMs) return;
    hold(attempt, false);
    attempt.stop ??= stop;
    if (!attempt.silent) noteStop(attempt, attempt.stop);
    attempt.abort.abort(new Error(stop.why));
    if (graceMs > 0) signal(attempt, "SIGTERM");
    clearTimeout(due?.timer);
    killing.set(attempt.name, { atMs, timer: setTimeout(kill, graceMs, attempt, graceMs) });
  }

  function kill(attempt: Attempt, graceMs: number): void {
    killing.delete(attempt.name);
    if (attempt.ending || !attempt.stop) return;
    const { outcome, why } = attempt.stop;
    if (graceMs > 0)
      attempt.stop = { outcome, why: `${why} (killed, as it did not end within ${spanText(graceMs)})` };
    if (attempt.limited) void clearGroups(groupsOf(host.groups, attempt.name));
    if (attempt.shim) signal(attempt, "SIGKILL");
    else unkillable(attempt);
  }

  return {
    halt,
    hold,
    drop({ name }: Attempt): void {
      clearTimeout(killing.get(name)?.timer);
      killing.delete(name);
    },
    close(): void {
      for (const { timer } of killing.values()) clearTimeout(timer);
    },
  };
}

/** One that ended a moment ago may have given its number to another process. */
function signal({ shim }: Attempt, name: NodeJS.Signals): void {
  if (shim && isAlive(shim)) signalGroup(shim.pid, name);
}
