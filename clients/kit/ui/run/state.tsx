import { type ShownState, stateLooks } from "./look.ts";
import classes from "./state.module.css";

/** The state of a run, a step or an attempt: colour, icon and word. */
export function RunStateBadge({ state, word }: { readonly state: ShownState; readonly word?: string }) {
  return (
    <span
      className={`${classes.tone} ${classes.badge}`}
      data-tone={stateLooks[state].tone}
      data-state={state}
    >
      <RunStateIcon state={state} size={13} />
      {word ?? state}
    </span>
  );
}

export function RunStateIcon({ state, size = 16 }: { readonly state: ShownState; readonly size?: number }) {
  const { icon: Icon, tone } = stateLooks[state];
  const turning = state === "running" ? classes.turning : "";
  return (
    <Icon
      size={size}
      stroke={2.2}
      aria-hidden
      className={`${classes.tone} ${classes.icon} ${turning}`}
      data-tone={tone}
    />
  );
}
