import type { PastAttempt, RunState, StepState } from "@reeve/model";
import {
  IconArrowForward,
  IconBan,
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconHourglass,
  IconLoader2,
  IconPlugConnectedX,
  IconX,
} from "@tabler/icons-react";

export type ShownState = RunState | StepState | PastAttempt["state"];
export type Tone = "idle" | "active" | "waiting" | "good" | "bad" | "over";

/** How states look: a colour, an icon and a word, so that nobody has to see colours. */
export const stateLooks: Record<ShownState, { readonly tone: Tone; readonly icon: typeof IconCheck }> = {
  queued: { tone: "idle", icon: IconClock },
  blocked: { tone: "idle", icon: IconCircleDashed },
  due: { tone: "idle", icon: IconClock },
  ready: { tone: "waiting", icon: IconClock },
  offered: { tone: "active", icon: IconLoader2 },
  running: { tone: "active", icon: IconLoader2 },
  waiting: { tone: "waiting", icon: IconHourglass },
  succeeded: { tone: "good", icon: IconCheck },
  failed: { tone: "bad", icon: IconX },
  cancelled: { tone: "over", icon: IconBan },
  skipped: { tone: "over", icon: IconArrowForward },
  lost: { tone: "bad", icon: IconPlugConnectedX },
  returned: { tone: "over", icon: IconArrowForward },
};
