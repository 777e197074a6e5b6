import { Fault } from "@reeve/model";
import { troubleOf } from "@reeve/store";
import { type LogFn, type Logger, pino } from "pino";

/** JSON lines to stderr for machines; short lines for a person at a terminal. Secrets are not given to the logger at all. */
export function openLog(level: string, terminal: boolean) {
  const stream = terminal
    ? { write: (line: string) => void process.stderr.write(forPeople(line)) }
    : pino.destination({ dest: 2, sync: true });
  return pino({ level, base: null, serializers: { err: brief }, hooks: { logMethod } }, stream);
}

/**
 * That the database is away or short of something is told once, with its end (trouble-log.ts). What fails for it in every loop, several
 * times a second, is told only to who wants every detail.
 */
function logMethod(this: Logger, words: Parameters<LogFn>, method: LogFn, level: number): void {
  const [{ err } = {}] = words as unknown as [{ err?: unknown }?];
  if (level <= pino.levels.values.warn! && isToldElsewhere(err) && !this.isLevelEnabled("debug")) return;
  method.apply(this, words);
}

function isToldElsewhere(error: unknown): boolean {
  return (
    error instanceof Fault &&
    error.kind === "unavailable" &&
    ["away", "short"].includes(troubleOf(error.cause))
  );
}

/** Errors of libraries carry whole objects along: the database's a client with its keys. */
function brief(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // A refusal in words: where it was thrown helps nobody.
  if (error instanceof Fault && error.kind !== "internal")
    return { type: error.kind, message: error.message };
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, stack, ...(code === undefined ? {} : { code }) };
}

const levels: Record<number, string> = { 20: "debug", 30: "info ", 40: "WARN ", 50: "ERROR", 60: "FATAL" };

function forPeople(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as {
    level: number;
    time: number;
    msg: string;
    err?: { message: string; stack?: string };
  } & Record<string, unknown>;
  const facts = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const cause = err === undefined ? "" : `: ${(level >= 50 && err.stack) || err.message}`;
  return `${new Date(time).toISOString().slice(11, 19)} ${levels[level] ?? level} ${[msg, ...facts].join(" ")}${cause}\n`;
}
