import { Fault } from "@reeve/model";

/** Counts requests per key in windows of a minute. In memory and per replica: a guard against floods, not an accounting. */
export interface Limiter {
  /** Throws when the key has used up its minute. */
  count(key: string, perMinute: number): void;
}

const windowMs = 60_000;
const mostKeys = 100_000;

export function openLimiter(now: () => number = Date.now): Limiter {
  let windowStart = now();
  let counts = new Map<string, number>();
  return {
    count(key, perMinute) {
      if (now() - windowStart >= windowMs || counts.size >= mostKeys) {
        windowStart = now();
        counts = new Map();
      }
      const used = (counts.get(key) ?? 0) + 1;
      counts.set(key, used);
      if (used <= perMinute) return;
      const retryAfterMs = Math.max(1000, windowStart + windowMs - now());
      throw new Fault("exhausted", `too many requests: more than ${perMinute} in a minute`, {
        next: `wait ${Math.ceil(retryAfterMs / 1000)} s`,
        retryAfterMs,
      });
    },
  };
}
