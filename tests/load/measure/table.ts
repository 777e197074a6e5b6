/** A figure as people read it. A row without a wish is there to explain the others. */
export interface Row {
  readonly name: string;
  /** One per size, in the order of the head; undefined where it was not measured. */
  readonly measured: readonly (string | undefined)[];
  readonly wanted?: string;
  readonly verdict?: "met" | "MISSED" | undefined;
}

const nameWidth = 37;
const valueWidth = 13;
const wantedWidth = 9;

/** Reads well at 80 columns with two sizes. A title row has no figures. */
export function table(heads: readonly string[], rows: readonly Row[]): string {
  const line = (name: string, values: readonly string[], wanted: string, verdict: string) =>
    `${name.padEnd(nameWidth)}${values.map((value) => value.padStart(valueWidth)).join("")}${wanted.padStart(wantedWidth)}  ${verdict}`.trimEnd();
  return [
    line("", heads, "wanted", ""),
    ...rows.map((row) =>
      line(
        row.name,
        row.measured.map((value) => value ?? "-"),
        row.wanted ?? "",
        row.verdict ?? "",
      ),
    ),
  ].join("\n");
}

export function ms(value: number): string {
  return `${value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)} ms`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
