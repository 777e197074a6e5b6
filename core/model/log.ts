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
  /** Its place among the chunks of the run, in the order of their arrival. */
  readonly chunk: number;
  readonly offset: number;
  readonly at: string;
  readonly text?: string;
  readonly base64?: string;
}

/** Bytes that are missing, and why. */
export interface LogGap extends LogSource {
  readonly chunk: number;
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
  /** The chunk in which the line begins. */
  readonly chunk: number;
  /** Where the line begins. */
  readonly offset: number;
  readonly line: string;
}

/** Some chunks that stand next to each other, and how many lines begin in them: what a viewer needs to know before it reads. */
export interface LogPage {
  /** The chunks after this one, up to and with that one. */
  readonly after: number;
  readonly to: number;
  readonly lines: number;
  /** When the first of them came. */
  readonly at: string;
  /** The sources, as `logSourceKey` writes them, of which a line from before goes on in them. */
  readonly open: readonly string[];
}

/** A line, in the place in which it begins. */
export interface LogLine extends LogSource {
  readonly offset: number;
  readonly at: string;
  readonly text: string;
  /** There is more of it than is shown. */
  readonly cut?: true;
  /** These bytes are missing; the text says why. */
  readonly gap?: number;
}

export function logSourceKey({ seq, attempt, stream }: Omit<LogSource, "step">): string {
  return `${seq}.${attempt}.${stream}`;
}
