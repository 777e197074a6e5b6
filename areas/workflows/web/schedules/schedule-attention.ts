import { type Attention, paths } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { useSchedules } from "./use-schedules.ts";

const kind = { name: "Workflow", plural: "workflows" };

/** Schedules whose last tick could not be fired. */
export function useScheduleAttention(scope: Scope): readonly Attention[] {
  const { value = [] } = useSchedules(scope, 0);
  return value
    .filter(({ trouble }) => trouble !== "")
    .map((one) => ({
      key: `schedule ${one.scope} ${one.workflow} ${one.name}`,
      level: "failed",
      title: `The schedule ${one.name} of ${one.workflow} could not be fired`,
      detail: one.trouble,
      to: paths.resource(kind, one.scope, one.workflow, { tab: "schedules" }),
    }));
}
