import type { WebArea } from "@reeve/kit";
import { IconCalendarClock, IconPlayerPlay, IconSitemap } from "@tabler/icons-react";
import { useApprovalAttention } from "./runs/approval-attention.ts";
import { useScheduleAttention } from "./schedules/schedule-attention.ts";
import { firstWorkflow } from "./workflows/first-workflow.ts";

export const workflowsWeb: WebArea = {
  name: "workflows",
  navigation: [
    {
      group: "Workflows",
      label: "Workflows",
      icon: <IconSitemap size={16} />,
      to: "{scope}/workflows",
      needs: { verb: "read", kind: "Workflow" },
    },
    {
      group: "Workflows",
      label: "Runs",
      icon: <IconPlayerPlay size={16} />,
      to: "/runs",
      needs: { verb: "read", kind: "runs" },
    },
    {
      group: "Workflows",
      label: "Schedules",
      icon: <IconCalendarClock size={16} />,
      to: "/schedules",
      needs: { verb: "read", kind: "Workflow" },
    },
  ],
  pages: [
    { path: "{scope}/workflows", load: () => import("./workflows/workflows-page.tsx") },
    { path: "{scope}/workflows/$name", load: () => import("./workflows/workflow-page.tsx") },
    { path: "/runs", load: () => import("./runs/runs-page.tsx") },
    { path: "/runs/$id", load: () => import("./runs/run-page.tsx") },
    { path: "/schedules", load: () => import("./schedules/schedules-page.tsx") },
  ],
  attention: [
    { name: "approvals", use: useApprovalAttention },
    { name: "schedules", use: useScheduleAttention },
  ],
  writing: [{ kind: "Workflow", load: loadDraftGraph, first: firstWorkflow }],
};

async function loadDraftGraph() {
  return { default: (await import("./workflows/draft-graph.tsx")).DraftGraph };
}
