import type { Row } from "../measure/table.ts";

/** One measured number with how people read it and, where the product promises something, the bar it has to reach. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly text: string;
  readonly bar?: Bar;
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
  more: Pick<Figure, "bar" | "detail"> = {},
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

/** A stage's rows below its title. */
export function stageRows(title: string, outcome: Outcome | undefined): Row[] {
  if (outcome === undefined) return [];
  if ("problem" in outcome) return [{ name: title, measured: [""], verdict: "MISSED" }];
  const rows = outcome.figures.map(
    ({ name, text, bar }): Row => ({
      name: `  ${name}`,
      measured: [text],
      ...(bar === undefined ? {} : { wanted: bar.text, verdict: bar.met ? "met" : "MISSED" }),
    }),
  );
  return [{ name: title, measured: [""] }, ...rows];
}
