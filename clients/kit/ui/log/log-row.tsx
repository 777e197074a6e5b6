import type { LogLine } from "@reeve/model";
import { memo } from "react";
import classes from "./log.module.css";
import { LogText } from "./log-text.tsx";

interface Props {
  readonly at: number;
  readonly line: LogLine | undefined;
  readonly sought: string;
  readonly chosen: boolean;
  readonly times: boolean;
  /** Whose line it is, where several steps stand in one log. */
  readonly names: boolean;
  readonly onChoose: (at: number) => void;
}

/** One line. Its number is a link to it. */
export const LogRow = memo(({ at, line, sought, chosen, times, names, onChoose }: Props) => (
  <div
    className={classes.row}
    data-stream={line?.stream}
    data-gap={line?.gap !== undefined || undefined}
    data-chosen={chosen || undefined}
    data-line={at + 1}
  >
    <button
      type="button"
      className={classes.number}
      tabIndex={-1}
      aria-label={`Line ${at + 1}, link to it`}
      onClick={() => onChoose(at)}
    >
      {at + 1}
    </button>
    {times && (
      <span className={classes.time} title={line?.at}>
        {line ? clock(line.at) : ""}
      </span>
    )}
    {names && (
      <span className={classes.step} title={line?.step}>
        {line?.step}
        {line && line.attempt > 1 ? ` #${line.attempt}` : ""}
      </span>
    )}
    <span className={classes.text}>
      {line === undefined ? (
        "…"
      ) : line.gap === undefined ? (
        <LogText line={line} sought={sought} />
      ) : (
        gapText(line)
      )}
      {line?.cut && (
        <span className={classes.cut}> … the line is longer: download the log to see all of it</span>
      )}
    </span>
  </div>
));

function gapText({ gap, text }: LogLine): string {
  return `${gap?.toLocaleString("en")} bytes are missing: ${text}`;
}

/** The time of day, as exact as logs have it. */
export function clock(at: string): string {
  const time = new Date(at);
  return `${time.toTimeString().slice(0, 8)}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}
