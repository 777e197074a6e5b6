import { Fault, parseDuration } from "@reeve/model";
import { Usage } from "@reeve/sdk/cli";

/** A moment as people write it: so long ago, or a date with a time. */
export function readTime(value: string, option: string): string {
  if (/^\d{4}-/.test(value) && !Number.isNaN(Date.parse(value))) return new Date(value).toISOString();
  try {
    return new Date(Date.now() - parseDuration(value)).toISOString();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Usage(
      `${option} takes a time such as 2h or 2026-01-31T12:00:00Z, not ${JSON.stringify(value)}`,
    );
  }
}
