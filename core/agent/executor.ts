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
  /** The attempt's own folder, empty, removed when the attempt has been recorded. */
  readonly folder: string;
}

export type Body = ProcessBody | InnerBody;

/** A process under a shim of its own; it outlives the agent and is adopted again. */
export interface ProcessBody {
  readonly does: "process";
  /** Never a shell string: `["sh", "-e", "/…/script"]`. */
  readonly argv: readonly string[];
  /** Everything the process sees, save PATH, HOME, LANG and the REEVE_ variables that the agent adds. */
  readonly env: Readonly<Record<string, string>>;
  /** Written into the attempt's folder before the start, mode 0600. */
  readonly files?: Readonly<Record<string, string>>;
  /** Below the attempt's folder, or absolute. */
  readonly cwd?: string;
  readonly user?: string;
  readonly umask?: number;
  readonly nice?: number;
  readonly memoryBytes?: number;
  readonly cpus?: number;
  /** Files with secrets in them are kept in memory (tmpfs) where there is one. */
  readonly secret?: boolean;
}

/** Done inside the agent; lost with it, so only for what is short or may be repeated. */
export interface InnerBody {
  readonly does: "inside";
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
