import { createHash } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";
import type { PrivatePostgres } from "../../harness/private-postgres.ts";
import type { Evidence, Finding } from "./findings.ts";
import type { BodyLine } from "./ledger-lines.ts";
import { loudLines } from "./workflows.ts";

/**
 * I8: the log of every attempt that told the ledger of itself, however it ended, is there from its first byte to its end marker, and
 * is what the ledger says that it wrote.
 */
export interface LogJudge {
  /** What is wrong so far: the rest of a log may still be on its way. */
  find(): Promise<Finding[]>;
  /** How many were found whole, by how their attempts ended; those of `shout` that said all of it apart. */
  readonly whole: ReadonlyMap<string, number>;
}

interface Logged {
  readonly name: string;
  readonly run: string;
  readonly seq: string;
  readonly epoch: string;
  readonly state: string;
  readonly sha256: Buffer | null;
}

export function openLogJudge({ postgres, lines }: Pick<Evidence, "postgres" | "lines">): LogJudge {
  const left = Map.groupBy(lines, ({ key, attempt }) => `${key} ${attempt}`);
  const whole = new Map<string, number>();
  const count = (what: string) => whole.set(what, (whole.get(what) ?? 0) + 1);
  return {
    whole,
    async find() {
      const attempts = new Map((await readAttempts(postgres)).map((one) => [one.name, one]));
      const findings: Finding[] = [];
      for (const [name, told] of left) {
        const attempt = attempts.get(name);
        const trouble = await troubleWith(postgres, attempt, told);
        if (trouble !== undefined)
          findings.push({ name, step: told[0]?.step, state: attempt?.state, trouble });
        else {
          left.delete(name);
          if (!isCut(told)) count(attempt?.state ?? "");
          if (told.at(-1)?.what === "end" && told[0]?.step === "shout") count("shout");
        }
      }
      return findings;
    },
  };
}

function readAttempts(postgres: PrivatePostgres): Promise<Logged[]> {
  return postgres.query<Logged>(
    `select a.run || '.' || a.seq || ' ' || a.attempt as name, a.run, a.seq, a.epoch, a.state, l.out_sha256 as sha256
     from (select run, seq, epoch, attempt, state from step union all select run, seq, epoch, attempt, state from step_attempt) a
     join log_attempt l on l.run = a.run and l.seq = a.seq and l.epoch = a.epoch`,
  );
}

/** A disk was full: then the bytes are not known. */
const isCut = (told: readonly BodyLine[]) => told.some(({ logged }) => !logged);

async function troubleWith(
  postgres: PrivatePostgres,
  attempt: Logged | undefined,
  told: readonly BodyLine[],
): Promise<string | undefined> {
  if (attempt === undefined) return "it has no log";
  if (attempt.sha256 === null) return "it has no end";
  const chunks = await postgres.query<{
    begins: string;
    length: string;
    packed: boolean;
    data: Buffer | null;
  }>(
    `select begins, length, packed, data from log_chunk where run = $1 and seq = $2 and epoch = $3 and stream = 'stdout'
     order by begins`,
    [attempt.run, attempt.seq, attempt.epoch],
  );
  let at = 0;
  const parts: Buffer[] = [];
  for (const { begins, length, packed, data } of chunks) {
    if (Number(begins) !== at || data === null) return `a hole at ${at}, next is ${begins}`;
    at += Number(length);
    parts.push(packed ? zstdDecompressSync(data) : data);
  }
  const bytes = Buffer.concat(parts);
  const sha256 = createHash("sha256").update(bytes).digest();
  if (!sha256.equals(attempt.sha256)) return `${bytes.length} bytes that are not those of its end`;
  return isCut(told) || agrees(bytes.toString("latin1"), told)
    ? undefined
    : `${bytes.length} bytes, and not what it told: ${bytes.toString("latin1", 0, 200)}`;
}

/** Whoever is killed may have said one thing more than it told. */
function agrees(log: string, told: readonly BodyLine[]): boolean {
  const [first, ...others] = told.map(textOf);
  const last = told.at(-1);
  const numbers = last?.step === "shout" ? shouted : "";
  const known = others.length === 0 ? (first ?? "") : `${first}${numbers}${others.join("")}`;
  if (!log.startsWith(known)) return false;
  const rest = log.slice(known.length);
  if (rest === "" || last === undefined) return rest === "";
  if (last.what === "end" || last.what === "fail") return false;
  const next = ["tick", "told", "fail", "end"] as const;
  if (numbers === "") return next.some((what) => rest === textOf({ ...last, what }));
  return `${numbers}${textOf({ ...last, what: "end" })}`.startsWith(rest);
}

const shouted = Array.from({ length: loudLines }, (_, at) => `${at + 1}\n`).join("");

const textOf = ({ what, key, step, attempt }: BodyLine) => `${what} ${key} ${step} ${attempt}\n`;
