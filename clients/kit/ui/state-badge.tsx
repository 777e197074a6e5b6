import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconLoader2,
  IconPlayerPause,
  IconPlugConnectedX,
  IconPointFilled,
  IconQuestionMark,
  IconX,
} from "@tabler/icons-react";
import type { Tone } from "./run/look.ts";
import classes from "./run/state.module.css";

type Look = { readonly tone: Tone; readonly icon: typeof IconCheck };

const good = { tone: "good", icon: IconCheck } as const;
const bad = { tone: "bad", icon: IconX } as const;
const waits = { tone: "idle", icon: IconClock } as const;
const over = { tone: "over", icon: IconBan } as const;

/** States of resources; those of runs have looks of their own. */
const looks: Readonly<Record<string, Look>> = {
  ready: good,
  active: good,
  connected: good,
  accepted: good,
  done: good,
  true: good,
  failed: bad,
  denied: bad,
  expired: bad,
  false: bad,
  lost: { tone: "bad", icon: IconPlugConnectedX },
  missing: { tone: "waiting", icon: IconAlertTriangle },
  suspect: { tone: "waiting", icon: IconAlertTriangle },
  degraded: { tone: "waiting", icon: IconAlertTriangle },
  paused: { tone: "waiting", icon: IconPlayerPause },
  unknown: { tone: "idle", icon: IconQuestionMark },
  pending: waits,
  waiting: waits,
  joined: waits,
  running: { tone: "active", icon: IconLoader2 },
  deleting: { tone: "active", icon: IconLoader2 },
  drained: over,
  disabled: over,
  revoked: over,
  stopped: over,
};
const other: Look = { tone: "idle", icon: IconPointFilled };

/** The state of a resource: colour, icon and word, so that none of them is needed to understand it. */
export function StateBadge({ state, word }: { readonly state: string; readonly word?: string }) {
  const { tone, icon: Icon } = looks[state.toLowerCase()] ?? other;
  return (
    <span className={`${classes.tone} ${classes.badge}`} data-tone={tone} data-state={state}>
      <Icon size={13} stroke={2.2} aria-hidden className={classes.icon} />
      {word ?? state}
    </span>
  );
}
