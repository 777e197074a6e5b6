/**
 * What runs on a host for the control plane. Promises: a body starts at most once for its key; it outlives the agent, and the next
 * process of the agent takes it back; how it ended is never lost to a full disk; nothing of a stopped attempt is left running.
 * Refuses what this host cannot keep (a limit, a user) rather than forgetting it.
 *
 * An attempt has two places, both named `<run>.<seq>.<epoch>`. On the disk, below the agent's folder `attempts/`:
 *
 *   record       made by the shim, exclusively, before the body starts: 256 bytes of room for the exit, the shim's line (boot id,
 *                time, its /proc stat), its shell's words. The exit is one write over the room, so it is there whole or not at all.
 *   out, err     what the body writes, as it is. `logs` ships them, redacted, and keeps files of its own beside them
 *   outputs      $REEVE_OUTPUTS, when the body writes one
 *   heartbeat    $REEVE_HEARTBEAT, when the body touches it
 *   work/        the body's working folder
 *
 * Beside it, in `attempts-spare/`, are emptied folders of attempts that are over, for the next.
 *
 * In memory (/dev/shm or /run; where neither is a tmpfs, on the disk in `attempts-memory/`), as it holds secrets and is worth nothing
 * after a restart of the host:
 *
 *   launch       what the shim is to do, with the body's environment
 *   order        what the next process of the agent must know: texts to hide, timeouts; not there when there are none
 *   stop         why we are ending it
 *   script, …    the body's own files
 *
 * and once for all of them `lease`, which the guards of exclusive attempts read (guard.sh)
 *
 *   agent ── spawner ── shim ── body       the shim leads a session and a group of its own, so it needs neither of the two left of it
 *
 * When nothing runs, a shim waits for the next attempt. It is none itself, and goes with its spawner.
 *
 * Nothing here is synced to the disk: a power cut takes the processes too, and what ran then is `lost` whatever the files say. What
 * must survive it, that an attempt was accepted and how it ended, is in the agent's spool.
 */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import type { JsonObject } from "@reeve/model";
import { Fault } from "@reeve/model/fault";
import { type AttemptKey, keyText } from "../attempt-key.ts";
import type { AttemptOrder, Executor, InnerBody } from "../executor.ts";
import { adoptAll } from "./adopt.ts";
import { type Attempt, newAttempt } from "./attempt.ts";
import { stoppedEnding } from "./ending.ts";
import { clearGroups, closeGroups, groupsOf, openGroups } from "./groups.ts";
import { openHalting } from "./halting.ts";
import { runInside } from "./inside.ts";
import { type Host, launchOf, usualPath } from "./launch.ts";
import { openLaunching } from "./launching.ts";
import { closeRoots, layoutOf, openRoots } from "./layout.ts";
import { bootId } from "./processes.ts";
import { reasonOf } from "./reason.ts";
import { settle } from "./settle.ts";
import { openWatch } from "./watch.ts";

export interface AttemptsOptions {
  /** Of the agent's own: each attempt has a folder in it. It and those above must let others pass (o+x), for steps with a `user`. */
  readonly folder: string;
  readonly executors: readonly Executor[];
  /** How many attempts may run at once; beyond it nothing is refused, there are only no free slots to announce. */
  readonly slots: number;
  /** Called once for each attempt that ended, and once more after each restart of the agent until it was forgotten. */
  readonly onEnd: (key: AttemptKey, ending: Ending) => void;
  /** PATH of bodies that declare none; systemd's for services when left out. */
  readonly path?: string;
}

/** What is to be done; the accept has been acknowledged, and `with` holds the secrets. */
export interface StartOrder extends Omit<AttemptOrder, "folder" | "files"> {
  readonly finishMs?: number;
  readonly heartbeatMs?: number;
  readonly exclusive: boolean;
  /** Texts that must not be seen in the output. */
  readonly hide: readonly string[];
}

export interface Ending {
  readonly outcome: "succeeded" | "failed" | "cancelled" | "lost";
  /** Absent when the body never ran or was ended by a signal. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** In words; empty when it succeeded. */
  readonly why: string;
  readonly outputs?: JsonObject;
  readonly startedAt?: Date;
  readonly endedAt: Date;
  /** Another attempt would end the same way. */
  readonly final: boolean;
  /** The body did not begin, for want of room on the agent's disk. */
  readonly noRoom?: true;
}

/** An attempt that the agent holds: it runs, or it ended and was not forgotten. */
export interface HeldAttempt {
  readonly key: AttemptKey;
  readonly exclusive: boolean;
  readonly ended: boolean;
}

/** Where an attempt's output is: files `out` and `err` in `folder`, each made with its first byte or before. */
export interface HeldOutput {
  readonly folder: string;
  /** Nothing follows what is in the files now. */
  readonly ended: boolean;
  /** Undefined when it is not known any more (it is kept in memory only, and the host was restarted): show nothing. */
  readonly hide: readonly string[] | undefined;
}

export interface Attempts {
  /** Where the agent's lease has to stand, for exclusive attempts to live on. */
  readonly leaseFile: string;
  /** Takes back what a former agent process left, before anything is started; what ended meanwhile is told by `onEnd`. */
  adopt(): Promise<void>;
  /** Resolves when its process is there, about to begin. Never rejects: what goes wrong is an ending. A key that is held is not begun again. */
  start(order: StartOrder): Promise<void>;
  /** SIGTERM, after the grace SIGKILL; the ending has this reason. Nothing happens to one that has ended. */
  stop(key: AttemptKey, graceMs: number, why: string, outcome?: "cancelled" | "lost"): void;
  /** Its body waits, or goes on: it writes more than can be shipped. Nothing happens to one without a process, or to an exclusive one. */
  hold(key: AttemptKey, held: boolean): void;
  held(): HeldAttempt[];
  freeSlots(): number;
  /**
   * Undefined when there is nothing to ship: the key is not held, or its body runs inside the agent and has written nothing so far
   * (ask again when it has ended).
   */
  output(key: AttemptKey): HeldOutput | undefined;
  /** Its ending is recorded, or it is not ours any more: no `onEnd` follows. Its files go as soon as they are shipped, too. */
  forget(key: AttemptKey): void;
  /** All its output is durable elsewhere, or nobody wants it. */
  shipped(key: AttemptKey): void;
  /** Lets go of everything; processes run on, for the next agent process to adopt. */
  close(): Promise<void>;
}

/** How long a body has after SIGTERM when it was too slow or silent, or when a former process of the agent was ending it. */
const LATE_GRACE_MS = 10_000;

export function openAttempts({
  folder,
  executors,
  slots,
  onEnd,
  path = usualPath,
}: AttemptsOptions): Attempts {
  const roots = openRoots(folder);
  const host: Host = {
    boot: bootId(),
    groups: openGroups(roots.agent),
    lease: roots.lease,
    path,
    home: userInfo().homedir,
  };
  const all = new Map<string, Attempt>();
  const launching = openLaunching({ started, orphaned, gone, refused: finish });
  const halting = openHalting(host, (attempt) => {
    if (!launching.isOpen(attempt)) finish(attempt, stoppedEnding(attempt));
  });
  const watch = openWatch({
    gone,
    late: (attempt, why) => halting.halt(attempt, LATE_GRACE_MS, { outcome: "failed", why }),
  });
  let running = 0;

  function hold(attempt: Attempt): void {
    all.set(attempt.name, attempt);
    running++;
  }

  async function begin(attempt: Attempt, order: StartOrder): Promise<void> {
    const executor = executors.find((one) => one.name === order.executor);
    if (!executor) throw new Fault("precondition", `this agent has no executor ${order.executor}`);
    const { folder, files } = attempt.layout;
    const body = await executor.prepare({ ...order, folder, files });
    const launch = body.does === "process" ? await launchOf(host, attempt, order, body) : undefined;
    if (attempt.stop) finish(attempt, stoppedEnding(attempt));
    else if (launch) {
      attempt.silent = false;
      await launching.launch(attempt, launch);
    } else {
      attempt.startedAt = new Date();
      watch.add(attempt, false);
      void runInside(attempt, body as InnerBody).then((ending) =>
        finish(attempt, { ...ending, ...attempt.stop }),
      );
    }
  }

  function started(attempt: Attempt): void {
    watch.add(attempt, false);
    // It was stopped before it was there.
    if (attempt.stop) halting.halt(attempt, 0, attempt.stop);
  }

  function orphaned(attempt: Attempt): void {
    watch.add(attempt, true);
    if (attempt.stop) halting.halt(attempt, LATE_GRACE_MS, attempt.stop);
  }

  function gone(attempt: Attempt): void {
    watch.drop(attempt);
    settle(host, attempt).then(
      (ending) => finish(attempt, ending),
      (error: unknown) => finish(attempt, { outcome: "lost", ...reasonOf(error, []), endedAt: new Date() }),
    );
  }

  function finish(attempt: Attempt, ending: Ending): void {
    if (attempt.ending) return;
    attempt.ending = ending;
    running--;
    halting.drop(attempt);
    watch.drop(attempt);
    if (!attempt.forgotten) onEnd(attempt.key, ending);
    tidy(attempt);
  }

  function tidy(attempt: Attempt): void {
    if (!attempt.ending || !attempt.forgotten || !(attempt.shipped || attempt.silent)) return;
    all.delete(attempt.name);
    if (attempt.limited) void clearGroups(groupsOf(host.groups, attempt.name));
    if (!attempt.silent) launching.remove(attempt.layout);
  }

  function mark(key: AttemptKey, what: "forgotten" | "shipped"): void {
    const attempt = all.get(keyText(key));
    if (!attempt) return;
    attempt[what] = true;
    tidy(attempt);
  }

  return {
    leaseFile: roots.lease,
    async adopt() {
      for (const { attempt, ending } of await adoptAll(host, roots)) {
        hold(attempt);
        if (ending) finish(attempt, ending);
        else orphaned(attempt);
      }
    },
    async start(order) {
      const name = keyText(order);
      if (all.has(name)) return;
      const { exclusive, hide, finishMs, heartbeatMs } = order;
      const kept = { exclusive, hide, ...(finishMs && { finishMs }), ...(heartbeatMs && { heartbeatMs }) };
      const { run, seq, epoch } = order;
      const attempt = newAttempt({ run, seq, epoch }, layoutOf(roots, name), kept, hide);
      attempt.silent = true;
      hold(attempt);
      await begin(attempt, order).catch((error: unknown) => {
        // The executor may have put something there already.
        attempt.silent = !existsSync(attempt.layout.folder);
        finish(attempt, { outcome: "failed", ...reasonOf(error, hide), endedAt: new Date() });
      });
    },
    stop(key, graceMs, why, outcome = "cancelled") {
      const attempt = all.get(keyText(key));
      if (attempt) halting.halt(attempt, graceMs, { outcome, why });
    },
    hold(key, held) {
      const attempt = all.get(keyText(key));
      if (attempt) halting.hold(attempt, held);
    },
    held: () =>
      [...all.values()]
        .filter((attempt) => !attempt.forgotten)
        .map(({ key, kept, ending }) => ({ key, exclusive: kept.exclusive, ended: ending !== undefined })),
    freeSlots: () => Math.max(0, slots - running),
    output(key) {
      const attempt = all.get(keyText(key));
      if (!attempt || attempt.silent) return undefined;
      return { folder: attempt.layout.folder, ended: attempt.ending !== undefined, hide: attempt.hide };
    },
    forget(key) {
      mark(key, "forgotten");
    },
    shipped(key) {
      mark(key, "shipped");
    },
    async close() {
      watch.close();
      halting.close();
      await launching.close();
      closeGroups(host.groups);
      closeRoots(roots);
    },
  };
}
