import type { Fault } from "@reeve/model";
import { TooMany } from "../guard/limiter.ts";

/** When to come back, for every door alike: `Retry-After`, and for a limit of requests how large it is. */
export function waitHeaders(fault: Fault): Record<string, string> {
  if (fault.retryAfterMs === undefined) return {};
  const seconds = String(Math.ceil(fault.retryAfterMs / 1000));
  if (!(fault instanceof TooMany)) return { "retry-after": seconds };
  return {
    "retry-after": seconds,
    "ratelimit-limit": String(fault.perMinute),
    "ratelimit-remaining": "0",
    "ratelimit-reset": seconds,
  };
}
