import { CallFault } from "./call-fault.ts";
import { sleep } from "./sleep.ts";

/** How long a call is tried: both limits hold. */
export interface RetryRule {
  readonly attempts: number;
  readonly withinMs: number;
}

export const standardRetry: RetryRule = { attempts: 7, withinMs: 30_000 };
export const noRetry: RetryRule = { attempts: 1, withinMs: 0 };

const firstDelayMs = 200;
const longestDelayMs = 5_000;
/** Many clients are told the same Retry-After; a little noise keeps them from coming back in one moment. */
const spreadMs = 250;

/** The wait before the next attempt: what the server asked for, else exponential with full jitter. */
export function retryDelayMs(
  attempt: number,
  retryAfterMs: number | undefined,
  random = Math.random(),
): number {
  if (retryAfterMs !== undefined) return retryAfterMs + random * spreadMs;
  return random * Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
}

interface Attempting {
  readonly rule: RetryRule;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((fault: CallFault, waitMs: number) => void) | undefined;
}

/** Tries until it succeeds, fails for good, or a limit is reached; then the last fault is the answer. */
export async function retrying<T>(
  attempt: () => Promise<T>,
  { rule, signal, onRetry }: Attempting,
): Promise<T> {
  const startedAt = performance.now();
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CallFault) || !error.retryable || failures + 1 >= rule.attempts) throw error;
      const waitMs = retryDelayMs(failures, error.retryAfterMs);
      if (performance.now() - startedAt + waitMs > rule.withinMs) throw error;
      onRetry?.(error, waitMs);
      await sleep(waitMs, signal);
    }
  }
}
