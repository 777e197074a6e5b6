import { Button, CopyButton } from "@mantine/core";
import { showDuration } from "@reeve/model";
import { IconAlertTriangle, IconLink } from "@tabler/icons-react";
import { memo } from "react";
import classes from "./log.module.css";
import type { LogState } from "./log-window.ts";

interface Props {
  readonly state: LogState;
  readonly following: boolean;
  readonly live: boolean;
  readonly chosen: number | undefined;
}

/** How much there is, whether more comes, and the line that was chosen. */
export const LogFoot = memo(({ state, following, live, chosen }: Props) => {
  return (
    <div className={classes.foot}>
      <span>
        {state.count.toLocaleString("en")} {state.count === 1 ? "line" : "lines"}
      </span>
      <span role="status">{phaseText(state, following, live)}</span>
      {state.note && state.phase !== "done" && (
        <span>
          <IconAlertTriangle size={12} aria-hidden /> {state.note}
        </span>
      )}
      {chosen !== undefined && (
        <CopyButton value={globalThis.location?.href ?? ""}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="subtle" leftSection={<IconLink size={12} />} onClick={copy}>
              {copied ? "Copied" : `Copy link to line ${chosen}`}
            </Button>
          )}
        </CopyButton>
      )}
    </div>
  );
});

function phaseText({ phase, lostAt }: LogState, following: boolean, live: boolean): string {
  if (phase === "counting") return "counting";
  if (phase === "lost")
    return `connection lost ${showDuration(Date.now() - (lostAt ?? Date.now()))} ago; trying again`;
  if (phase === "done" || !live) return phase === "done" ? "complete" : "";
  return following ? "live, following the end" : "live; following is paused, scroll to the end to go on";
}
