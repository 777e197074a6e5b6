import type { JsonObject } from "@reeve/model";
import type { AttemptKey } from "../attempt-key.ts";
import type { AttemptOrder, Executor } from "../executor.ts";

export interface AttemptsOptions {
  /** Of the agent's own: each attempt has a folder in it. It and those above must let others pass (o+x), for steps with a `user`. */
  readonly folder: string;
  readonly executors: readonly Executor[];
  /** How many attempts may run at once; beyond it nothing is refused, there are only no free slots to announce. */
  readonly slots: number;
  /** Called once for each attempt that ended, and once more after each restart of the agent until it was forgotten. */
  readonly onEnd: (key: AttemptKey, ending: Ending) => void;
  /** For what a person who runs the agent should know. */
  readonly log: (text: string) => void;
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
}

/** An attempt that the agent holds: it runs, or it ended and was not forgotten. */
export interface HeldAttempt {
  readonly key: AttemptKey;
  readonly exclusive: boolean;
  readonly ended: boolean;
}

/** Where an attempt's output is: files `out` and `err` in `folder`, each made with its first byte or before. */
export interface AttemptOutput {
  readonly folder: string;
  /** Nothing follows what is in the files now. */
  readonly ended: boolean;
  /** Undefined when it is not known any more (it is kept in memory only, and the host was restarted): show nothing. */
  readonly hide: readonly string[] | undefined;
}

export interface Attempts {
  /** Takes back what a former agent process left, before anything is started; what ended meanwhile is told by `onEnd`. */
  adopt(): Promise<void>;
  /** Resolves when the body has begun. Never rejects: what goes wrong is an ending. A key that is held is not begun again. */
  start(order: StartOrder): Promise<void>;
  /** SIGTERM, after the grace SIGKILL; the ending is `cancelled`, with this reason. Nothing happens to one that has ended. */
  stop(key: AttemptKey, graceMs: number, why: string): void;
  held(): HeldAttempt[];
  freeSlots(): number;
  /** Undefined when there is nothing to ship: the key is not held, or its body ran inside the agent and wrote nothing. */
  output(key: AttemptKey): AttemptOutput | undefined;
  /** Its ending is recorded, or it is not ours any more: no `onEnd` follows. Its files go as soon as they are shipped, too. */
  forget(key: AttemptKey): void;
  /** All its output is durable elsewhere, or nobody wants it. */
  shipped(key: AttemptKey): void;
  /** Lets go of everything; processes run on, for the next agent process to adopt. */
  close(): Promise<void>;
}
