import type { Row } from "../measure/table.ts";

/** One measured number with how people read it and, where the product promises something, the bar it has to reach. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly text: string;
  readonly bar?: Bar;
  /** Compared with the same figure on a store ten times as full: more is better of a rate, less of a time. */
  readonly grows?: "rate" | "time";
  /** What else was seen, for the JSON. */
  readonly detail?: unknown;
}

export interface Bar {
  readonly text: string;
  readonly met: boolean;
}

/** What a stage measured, or why it could not. */
export type Outcome = { readonly figures: readonly Figure[] } | { readonly problem: string };

export function figure(
  name: string,
  value: number,
  text: (value: number) => string,
  more: Pick<Figure, "bar" | "grows" | "detail"> = {},
): Figure {
  return { name, value, text: text(value), ...more };
}

export function atLeast(value: number, limit: number, unit = ""): Bar {
  return { text: `>= ${limit} ${unit}`.trim(), met: value >= limit };
}

export function atMost(value: number, limit: number, unit = ""): Bar {
  return { text: `<= ${limit} ${unit}`.trim(), met: value <= limit };
}

export function under(value: number, limit: number, unit = ""): Bar {
  return { text: `< ${limit} ${unit}`.trim(), met: value < limit };
}

export const times = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} x`;
export const seconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} s`;
export const megabytes = (value: number) => `${Math.round(value)} MB`;
export const percent = (value: number) => `${Math.round(value)} %`;
export const cores = (value: number) => value.toFixed(2);

/** A stage's rows below its title; columns are the store as it was and with ten times the finished runs. */
export function stageRows(title: string, columns: readonly (Outcome | undefined)[]): Row[] {
  const first = columns[0];
  const heading: Row = { name: title, measured: columns.map(() => "") };
  if (first === undefined) return [];
  if ("problem" in first) return [{ name: title, measured: columns.map(() => ""), verdict: "MISSED" }];
  const rows = first.figures.map(
    ({ name, bar }, at): Row => ({
      name: `  ${name}`,
      measured: columns.map((column) =>
        column && "figures" in column ? column.figures[at]?.text : undefined,
      ),
      ...(bar === undefined ? {} : { wanted: bar.text, verdict: bar.met ? "met" : "MISSED" }),
    }),
  );
  return [heading, ...rows];
}

const keptPercent = 90;

/** How much of its speed each figure kept when the store held ten times as many finished runs. */
export function growth(before: readonly Figure[], after: readonly Figure[]): Figure[] {
  return before.flatMap(({ name, value, grows }) => {
    const again = after.find((figure) => figure.name === name)?.value;
    if (grows === undefined || again === undefined) return [];
    const kept = 100 * (grows === "rate" ? again / value : value / again);
    return [figure(name, kept, percent, { bar: atLeast(kept, keptPercent, "%") })];
  });
}
