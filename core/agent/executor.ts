import type { JsonObject } from "@reeve/model";

/**
 * What performs the body of a step on an agent. An area adds one by a line in apps/agent. `prepare` is called after the
 * accept was acknowledged, once per attempt.
 */
export interface Executor {
  readonly name: string;
  /** Whether this host can do it at all (python3 is there); asked at start and announced. */
  readonly available: () => Promise<boolean>;
  readonly prepare: (attempt: AttemptOrder) => Promise<Body>;
}

/** An attempt as its executor sees it; `with` holds the secrets by now. */
export interface AttemptOrder {
  readonly run: string;
  readonly seq: number;
  readonly epoch: number;
  readonly number: number;
  readonly scope: string;
  readonly workflow: string;
  readonly step: string;
  readonly executor: string;
  readonly with: JsonObject;
  /** The attempt's own folder, removed when it has been recorded; made at the start of a process, or by whoever needs it before. */
  readonly folder: string;
  /** Where the `files` of a process will be, for its argv; in memory where the host has such a place, as they may hold secrets. */
  readonly files: string;
}

export type Body = ProcessBody | InnerBody;

/** A process under a shim of its own; it outlives the agent and is adopted again. */
export interface ProcessBody {
  readonly does: "process";
  /** Never a shell string: `["sh", "-e", "/…/script"]`. */
  readonly argv: readonly string[];
  /** Everything the process sees, save PATH, HOME, LANG and the REEVE_ variables that the agent adds. */
  readonly env: Readonly<Record<string, string>>;
  /** Written into the order's `files` folder before the start, mode 0600, for the process alone. */
  readonly files?: Readonly<Record<string, string>>;
  /** Absolute, or below the attempt's working folder, which is empty at first. */
  readonly cwd?: string;
  readonly user?: string;
  readonly umask?: number;
  readonly nice?: number;
  readonly memoryBytes?: number;
  readonly cpus?: number;
}

/** Done inside the agent; lost with it, so only for what is short or may be repeated. */
export interface InnerBody {
  readonly does: "inside";
  /** What its outputs may be at most, where it must give more than the usual 256 KB to the control plane itself. */
  readonly outputBytes?: number;
  readonly run: (inside: Inside) => Promise<InnerOutcome>;
}

export interface Inside {
  readonly signal: AbortSignal;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface InnerOutcome {
  readonly outcome: "succeeded" | "failed";
  readonly why: string;
  readonly outputs?: JsonObject;
  readonly final?: boolean;
}
