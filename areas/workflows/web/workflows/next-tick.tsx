import { Text } from "@mantine/core";
import { Age, useNow } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import { useRef } from "react";
import { canBegin, nextTicks, type WorkflowSpec } from "../../kinds/index.ts";

/** When a workflow runs by itself the next time, as its schedules say. */
export function NextTick({ workflow }: { readonly workflow: Resource<WorkflowSpec> }) {
  const next = useNextTick(workflow);
  if (next !== undefined) return <Age at={next} />;
  const isScheduled = (workflow.spec.schedules ?? []).length > 0;
  return (
    <Text span size="sm" c="dimmed">
      {isScheduled ? "paused" : "–"}
    </Text>
  );
}

/** Found again only when the definition changes or the tick has come: a page has hundreds of them. */
function useNextTick(workflow: Resource<WorkflowSpec>): string | undefined {
  const now = useNow();
  const known = useRef<{ revision: number; at: number | undefined }>(undefined);
  const { revision } = workflow.metadata;
  const isOver = known.current?.at !== undefined && known.current.at <= now;
  if (known.current?.revision !== revision || isOver)
    known.current = { revision, at: nextTick(workflow, now) };
  const { at } = known.current;
  return at === undefined ? undefined : new Date(at).toISOString();
}

export function nextTick(workflow: Resource<WorkflowSpec>, now: number): number | undefined {
  if (!canBegin(workflow).yes) return undefined;
  const ticks = (workflow.spec.schedules ?? []).flatMap((schedule) =>
    schedule.paused ? [] : nextTicks(schedule, new Date(now), 1).map((tick) => tick.getTime()),
  );
  return ticks.length === 0 ? undefined : Math.min(...ticks);
}
