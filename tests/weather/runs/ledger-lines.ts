import { existsSync, readFileSync } from "node:fs";

/** A line that a body wrote. */
export interface BodyLine {
  readonly what: "start" | "tick" | "told" | "fail" | "end";
  /** Of a step of a run: `<run>.<seq>`, the same for all its attempts. */
  readonly key: string;
  readonly step: string;
  readonly attempt: number;
  /** By the clock of `uptime`. */
  readonly at: number;
  /** Whether its output took the same words: a full disk does not. */
  readonly logged: boolean;
}

/** Seconds since the machine was started: a clock that no test sets, and that shells read for nothing. */
export function uptime(): number {
  return Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
}

/** In the order in which they were written. */
export function readBodyLines(file: string): BodyLine[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [what, key, step, attempt, at, logged] = line.split(" ");
      const told = { what, key, step, attempt: Number(attempt), at: Number(at), logged: logged === "yes" };
      return told as BodyLine;
    });
}
