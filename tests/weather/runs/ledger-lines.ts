import { existsSync, readFileSync } from "node:fs";

/** A line that a body wrote. */
export interface BodyLine {
  readonly what: "start" | "tick" | "fail" | "end";
  /** Of a step of a run: `<run>.<seq>`, the same for all its attempts. */
  readonly key: string;
  readonly step: string;
  readonly attempt: number;
}

/** In the order in which they were written. */
export function readBodyLines(file: string): BodyLine[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [what, key, step, attempt] = line.split(" ");
      return { what, key, step, attempt: Number(attempt) } as BodyLine;
    });
}
