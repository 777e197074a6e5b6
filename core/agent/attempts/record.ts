import { closeSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** What the shim wrote. The first 256 bytes are room for the exit, filled at the end; then its one line; then its shell's own words. */
export interface ShimRecord {
  readonly boot: string;
  readonly startedAt: Date;
  /** There were texts to hide in the output. */
  readonly hides: boolean;
  readonly pid: number;
  /** In clock ticks since the host's start; with the pid it names a process for good. Empty where there is no /proc. */
  readonly pidStart: string;
  /** On the clock that nobody can set: a shim may have waited for long before it got its attempt. */
  readonly begunMs: number;
  readonly exit?: { readonly code: number; readonly at: Date; readonly words: string };
}

const EXIT_BYTES = 256;

/** The `ABOUT` of the shim's arguments. */
export function aboutText(boot: string, startedAt: Date, hides: boolean, begunMs: number): string {
  return `${boot} ${startedAt.getTime()} ${hides ? 1 : 0} ${Math.round(begunMs)}`;
}

/** The kernel counts in hundredths of a second, on every machine, whatever its own ticks are. */
const TICK_MS = 10;

/** Undefined when the body has not begun: no record, or an empty one (the disk was full, or `preventStart` was quicker). */
export function readRecord(file: string): ShimRecord | undefined {
  const text = readIfThere(file);
  const line = /^(\S+) (\d+) ([01])(?: (\d+))? (\d+.*)$/m.exec(text.slice(EXIT_BYTES));
  if (!line) return undefined;
  const [whole, boot = "", startedMs, hides, begunMs, stat = ""] = line;
  const pidStart = startTimeIn(stat);
  const exit = /^exit (\d+) *\n$/.exec(text.slice(0, EXIT_BYTES));
  return {
    boot,
    startedAt: new Date(Number(startedMs)),
    hides: hides === "1",
    pid: Number.parseInt(stat, 10),
    pidStart,
    // The shims of older agents began with their attempts, and did not write it.
    begunMs: Number(begunMs ?? Number(pidStart) * TICK_MS),
    ...(exit && {
      exit: {
        code: Number(exit[1]),
        // The shell has no clock of its own; its last write is the moment.
        at: statSync(file).mtime,
        words: text.slice(EXIT_BYTES + whole.length).trim(),
      },
    }),
  };
}

/** Field 22 of /proc/PID/stat; the name in brackets before it may hold anything. */
export function startTimeIn(stat: string): string {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** Takes the shim's mark away from it: true when the body has not begun, and now never will. */
export async function preventStart(file: string): Promise<boolean> {
  try {
    closeSync(openSync(file, "wx"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return readRecord(file) === undefined;
  }
  // The shim was quicker: between its mark and its line there are microseconds, or for ever when the disk is full.
  for (let tries = 0; tries < 20 && !readRecord(file); tries++) await sleep(50);
  return readRecord(file) === undefined && takeAway(file);
}

/** A slow disk may hold the shim up for long: it looks once more whether its mark is there before the body begins. */
function takeAway(file: string): boolean {
  const away = `${file}.void`;
  try {
    renameSync(file, away);
  } catch {
    // A disk that is full as well: then the shim cannot write its line either.
    return true;
  }
  if (readRecord(away) === undefined) return true;
  renameSync(away, file);
  return false;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
