import type { LogLine } from "@reeve/model";
import { memo } from "react";
import { ansiSpans, highlight, type Span } from "./ansi.ts";
import classes from "./log.module.css";

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
        <Spans line={line} sought={sought} />
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

function Spans({ line, sought }: { readonly line: LogLine; readonly sought: string }) {
  const spans = highlight(spansOf(line), sought);
  // Parts of a line have no names but their places.
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  return spans.map((span, index) => <Part key={index} span={span} />);
}

const parsed = new WeakMap<LogLine, readonly Span[]>();

function spansOf(line: LogLine): readonly Span[] {
  const known = parsed.get(line) ?? ansiSpans(line.text);
  parsed.set(line, known);
  return known;
}

function Part({ span }: { readonly span: Span & { readonly hit?: true } }) {
  const { text, color, background, hit, bold, dim, italic, underline } = span;
  if (hit === undefined && Object.keys(span).length === 1) return text;
  const style = {
    ...(color !== undefined && { color: colorOf(color, "--log-ground") }),
    ...(background !== undefined && { background: colorOf(background, "--log-text") }),
    ...(bold && { fontWeight: 700 }),
    ...(dim && { opacity: 0.7 }),
    ...(italic && { fontStyle: "italic" }),
    ...(underline && { textDecoration: "underline" }),
  };
  return hit ? (
    <mark className={classes.hit} style={style}>
      {text}
    </mark>
  ) : (
    <span style={style}>{text}</span>
  );
}

function colorOf(color: number | string, inverse: string): string {
  if (typeof color === "number") return `var(--ansi-${color})`;
  return color === "inverse" ? `var(${inverse})` : color;
}

function clock(at: string): string {
  const time = new Date(at);
  return `${time.toTimeString().slice(0, 8)}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}
