import { older, orphans, type RetentionRule } from "@reeve/store";

/** For how long a backfill knows which ticks have had their run. */
const tickDays = 90;
/** For how long a signed request cannot be used again. Reeve's own signatures are refused after minutes; GitHub's have no time in them. */
const callDays = 90;

export const workflowsRetention: readonly RetentionRule[] = [
  { name: "schedules of deleted workflows", prune: orphans("schedule", "workflow") },
  { name: "ticks", prune: older("schedule_tick", "workflow, schedule, tick", tickDays) },
  { name: "backfills", prune: older("backfill", "id", tickDays) },
  { name: "calls of webhooks", prune: older("webhook_call", "workflow, call", callDays) },
];
