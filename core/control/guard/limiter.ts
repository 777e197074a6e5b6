import { Fault } from "@reeve/model";

/** Counts requests per key in windows of a minute. In memory and per replica: a guard against floods, not an accounting. */
export interface Limiter {
  /** Throws when `who` has used up its minute of this sort. */
  count(sort: string, who: string, perMinute: number): void;
}

/** A refusal of the limiter; doors tell the limit in headers. */
export class TooMany extends Fault {
  readonly perMinute: number;
  constructor(perMinute: number, retryAfterMs: number) {
    super("exhausted", `too many requests: more than ${perMinute} in a minute`, {
      next: `wait ${Math.ceil(retryAfterMs / 1000)} s`,
      retryAfterMs,
    });
    this.perMinute = perMinute;
  }
}

const windowMs = 60_000;
const mostKeys = 100_000;

export function openLimiter(
  onRefusal: (sort: string) => void = () => {},
  now: () => number = Date.now,
): Limiter {
  let windowStart = now();
  let counts = new Map<string, number>();
  return {
    count(sort, who, perMinute) {
      if (now() - windowStart >= windowMs || counts.size >= mostKeys) {
        windowStart = now();
        counts = new Map();
      }
      const key = `${sort} ${who}`;
      const used = (counts.get(key) ?? 0) + 1;
      counts.set(key, used);
      if (used <= perMinute) return;
      onRefusal(sort);
      throw new TooMany(perMinute, Math.max(1000, windowStart + windowMs - now()));
    },
  };
}
