/** What a reconciler made of its last look at a resource; `reeve why` shows it. */
export interface Look {
  readonly lookedAt: string | null;
  readonly nextAt: string | null;
  readonly outcome: "done" | "waiting" | "failed" | "never" | "paused";
  /** What it saw and decided, and what it waits for. */
  readonly why: string;
  /** Failures in a row. */
  readonly failures: number;
  readonly replica: string | null;
}

/**
 * How a look ended: waiting is not failing. `againInMs` absent means: when something changes; after a failure: soon, and then ever
 * less often.
 */
export type Outcome =
  | { readonly kind: "done"; readonly why: string; readonly againInMs?: number }
  | { readonly kind: "waiting"; readonly why: string; readonly againInMs: number }
  | { readonly kind: "failed"; readonly why: string; readonly againInMs?: number };
