import { showDuration } from "@reeve/model";

/** How long ago: `5m`; a dash when it never was. */
export function age(at: string | null | undefined, now = Date.now()): string {
  if (!at) return "-";
  const then = Date.parse(at);
  return Number.isNaN(then) ? at : showDuration(now - then);
}

/** When something will be: `in 5m`, or `now`. */
export function until(at: string | null | undefined, now = Date.now()): string {
  if (!at) return "-";
  const ms = Date.parse(at) - now;
  return ms <= 0 ? "now" : `in ${showDuration(ms)}`;
}
