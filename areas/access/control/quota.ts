import type { Admission, Controller, LookAt } from "@reeve/control";
import { type Amounts, Fault, type Kind, type Outcome, openRunsLimit, sameJson, totals } from "@reeve/model";
import { auditUse, countUse, endAudit, type Stored, tellUse } from "@reeve/store";
import { countOpenRuns } from "@reeve/store/runs";

const auditMs = 3_600_000;
/** Runs begin and end without a word to their quotas. */
const runsMs = 10_000;

/**
 * The write lane keeps to quotas and counts what they use, the engine those of runs; here their words are checked and their figures
 * told.
 */
export function quotaController(kinds: readonly Kind[]): Controller {
  const counted: readonly string[] = [
    ...totals,
    openRunsLimit,
    ...kinds.filter((kind) => !kind.limitsScope).map((kind) => kind.plural),
  ];
  return { kind: "Quota", admit: (change) => admit(change, counted), reconcile: tell };
}

/** A misspelt limit would hold nobody back. */
function admit({ after }: Admission, counted: readonly string[]): Stored {
  const limits = Object.keys(after.spec.limits as Amounts);
  const errors = limits
    .filter((what) => !counted.includes(what))
    .map((what) => ({ pointer: `/spec/limits/${what}`, message: "nothing is counted by this name" }));
  if (errors[0] === undefined) return after;
  throw new Fault("invalid", `${errors[0].pointer}: ${errors[0].message}`, {
    errors,
    next: `what is counted: ${counted.join(", ")}`,
  });
}

/** Tells what is used, and now and then counts whether it is true. */
async function tell({ resource, tools, report }: LookAt): Promise<Outcome> {
  const { database, registry, log } = tools;
  const { uid, scope, name } = resource.metadata;
  const kept = await tellUse(database, uid);
  let used = kept?.used ?? (await countUse(database, registry, scope));
  let why = "told what is used";
  if (kept !== undefined && Date.parse(kept.countedAt) < Date.now() - auditMs) {
    const audit = await auditUse(database, registry, { uid, scope });
    const right = audit !== undefined && sameUse(audit.kept, audit.counted);
    await endAudit(database, uid, right);
    used = audit?.counted ?? used;
    why = right ? "counted, and found it right" : "counted, and found it wrong: corrected";
    if (!right) log.warn({ quota: name, scope, ...audit }, "a quota was counted wrong; corrected");
  }
  const limits = resource.spec.limits as Amounts;
  const limitsRuns = openRunsLimit in limits;
  if (limitsRuns) used = { ...used, [openRunsLimit]: await countOpenRuns(database, scope) };
  const told = Object.fromEntries(Object.keys(limits).map((what) => [what, used[what] ?? 0]));
  if (
    !sameJson(resource.status.used as Amounts, told) ||
    resource.status.observedGeneration !== resource.metadata.generation
  )
    await report({ used: told });
  return { kind: "done", why, againInMs: limitsRuns ? runsMs : auditMs };
}

/** What fell to nothing is kept as 0, and not counted at all. */
function sameUse(one: Amounts, other: Amounts): boolean {
  return [...Object.keys(one), ...Object.keys(other)].every(
    (what) => (one[what] ?? 0) === (other[what] ?? 0),
  );
}
