import type { LogsRequest, LogsResponse } from "@reeve/protocol";
import type { AttemptKey } from "../attempt-key.ts";

/**
 * The way of an attempt's output to the control plane. Promises: every byte arrives once and in its order per stream, with the
 * texts to hide masked at their full length, or stands in a gap that says why; what the control plane has is freed here; a
 * flood neither fills the disk nor makes a neighbour wait. Goes on after a lost connection, and after a restart of the agent.
 */
export interface Shipping {
  /** Ships what is and will be in the files. After a restart of the agent: again, with the same files. */
  watch(key: AttemptKey, output: OutputFiles): void;
  /** Nothing more will be written: the rest goes out, and the end with the hash of all. */
  ended(key: AttemptKey): void;
  /** Resolves when the control plane has everything, or wants no more of it: the files may go. At once for what is not watched. */
  shipped(key: AttemptKey): Promise<void>;
  /** For beats and `debug`: how many attempts have output that is not shipped, and how much. */
  readonly figures: { readonly attempts: number; readonly unshippedBytes: number };
  /** Ends the stream; what is not shipped stays in the files. */
  stop(): Promise<void>;
}

export interface OutputFiles {
  /** Paths of the two files; beside each stands its `.shipped`, with what has been freed. */
  readonly out: string;
  readonly err: string;
  /** Undefined when they are lost (the host was restarted, and tmpfs with it): then nothing more can be shown. */
  readonly hide: readonly string[] | undefined;
}

/** Opens the Logs stream, on a connection apart from Control's. Ends or throws when it is lost; shipping opens the next one. */
export type OpenLogsStream = (
  requests: AsyncIterable<LogsRequest>,
  signal: AbortSignal,
) => AsyncIterable<LogsResponse>;

export interface ShippingOptions {
  readonly stream: OpenLogsStream;
  readonly limits?: Partial<ShippingLimits>;
}

export interface ShippingLimits {
  /** Of one stream of an attempt that are shipped; then only its last bytes. */
  readonly capBytes: number;
  /** Of one stream that may wait on disk for a control plane that is away; then the oldest go. */
  readonly waitingBytes: number;
  /** On the way and not acknowledged, of all attempts. */
  readonly windowBytes: number;
}
