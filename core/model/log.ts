/** What an attempt writes to. Order is promised within each; between them, only that of arrival. */
export const logStreams = ["stdout", "stderr"] as const;
export type LogStreamName = (typeof logStreams)[number];

/** Whose output it is. */
export interface LogSource {
  readonly seq: number;
  /** The step's name: `load`, or `load[3]` for an item of a fan-out. */
  readonly step: string;
  readonly attempt: number;
  readonly stream: LogStreamName;
}

/** Bytes of a log, as text when they are UTF-8 and in base64 otherwise. */
export interface LogPiece extends LogSource {
  readonly offset: number;
  readonly at: string;
  readonly text?: string;
  readonly base64?: string;
}

/** Bytes that are missing, and why. */
export interface LogGap extends LogSource {
  readonly offset: number;
  readonly length: number;
  readonly why: string;
}

/** A stream is complete: how long it is, gaps included, and the SHA-256 of its bytes. */
export interface LogEnd extends LogSource {
  readonly bytes: number;
  readonly sha256: string;
}

/** A line that was searched for. */
export interface LogMatch extends LogSource {
  /** Where the line begins. */
  readonly offset: number;
  readonly line: string;
}
