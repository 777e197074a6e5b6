import type { ReactNode } from "react";
import { ansiSpans, highlight, type Span } from "./ansi.ts";
import classes from "./log.module.css";

type Line = { readonly text: string };

/** The frame of every log: it has the colours that lines are drawn with. */
export function LogFrame({ children }: { readonly children: ReactNode }) {
  return <div className={classes.frame}>{children}</div>;
}

/** What a line of output says, with its colours, and with what is sought in it marked. */
export function LogText({ line, sought }: { readonly line: Line; readonly sought: string }) {
  const spans = highlight(spansOf(line), sought);
  // Parts of a line have no names but their places.
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  return spans.map((span, index) => <Part key={index} span={span} />);
}

const parsed = new WeakMap<Line, readonly Span[]>();

function spansOf(line: Line): readonly Span[] {
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
