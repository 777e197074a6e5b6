import { Fault, type Scope, showScope } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { type FullQuota, takeRoom } from "@reeve/store/runs";
import type { RunDraft } from "./runs.ts";

/**
 * Takes places under the quotas of runs. Without one, a schedule's run is given up and says why, as nobody is there to hear it; all
 * others are refused.
 */
export async function withoutRoom(
  sql: Sql,
  drafts: readonly RunDraft[],
  kind: string | undefined,
): Promise<Map<string, string>> {
  const full = new Map<string, string>();
  const counted = drafts.filter(({ parent }) => parent === undefined);
  if (kind === undefined || counted.length === 0) return full;
  const verdicts = await takeRoom(
    sql,
    kind,
    counted.map(({ scope }) => scope),
  );
  for (const [at, { id, cause }] of counted.entries()) {
    const quota = verdicts[at];
    if (quota === undefined) continue;
    if (cause !== "schedule") throw refusal(quota);
    full.set(id, wordsOf(quota));
  }
  return full;
}

/** One more of this scope is opened again. */
export async function takeOneRoom(sql: Sql, scope: Scope, kind: string | undefined): Promise<void> {
  const [quota] = kind === undefined ? [] : await takeRoom(sql, kind, [scope]);
  if (quota !== undefined) throw refusal(quota);
}

/** No figures: not everybody who begins runs may read the quota. */
function refusal(quota: FullQuota): Fault {
  return new Fault("precondition", wordsOf(quota), {
    next: "wait until runs have ended or cancel some (reeve runs --state queued,running), or ask an owner of the scope above for a higher limit",
  });
}

function wordsOf({ scope }: FullQuota): string {
  return `the quota of ${showScope(scope)} has no room for another run`;
}
