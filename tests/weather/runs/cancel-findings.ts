import type { Evidence, Finding } from "./findings.ts";
import { type BodyLine, uptime } from "./ledger-lines.ts";
import { carefulSteps, cleanup } from "./workflows.ts";

/** I9, by the database: what was cancelled has ended so. */
export async function brokenCancels({ postgres, acknowledged }: Evidence): Promise<Finding[]> {
  const ids = acknowledged.filter(({ does }) => does === "cancel").map(({ run }) => run);
  return postgres.query<Finding>(
    "select id, state, why, cancelled_at from run where id = any($1) and (cancelled_at is null or state not in ('cancelled'))",
    [ids],
  );
}

/**
 * I9, by the ledger: after an acknowledged cancel nothing begins. What may happen more than once begins with its offer (decision 32),
 * and an offer, as the answer to an accept, may be on its way for as long as the weather likes: what begins so late was offered, or
 * accepted, before the cancel. `late` is how many did.
 */
export async function begunAfterCancel(evidence: Evidence): Promise<{ findings: Finding[]; late: number }> {
  const acks = cancelTimes(evidence);
  const late = evidence.lines.filter(
    ({ what, key, step, at }) =>
      what === "start" && step !== cleanup.step && at > (acks.get(runOf(key)) ?? Number.POSITIVE_INFINITY),
  );
  const rows = await evidence.postgres.query<{ name: string }>(
    `select distinct run || '.' || seq || ' ' || attempt || ' ' || after as name from seen_transition
     where not cancelled and after in ('offered', 'running')`,
  );
  const before = new Set(rows.map(({ name }) => name));
  const findings = late.filter(({ key, attempt, step }) => {
    const by = carefulSteps.includes(step) ? "running" : "offered";
    return !before.has(`${key} ${attempt} ${by}`);
  });
  return { findings: findings.map((line) => ({ begun: line })), late: late.length };
}

/** The two clocks are read one after the other, and `uptime` goes in hundredths. */
const clocksDifferMs = 200;

/** I9, and for all that ends: an attempt whose agent has told its end says nothing more. */
export async function saidAfterEnd({ postgres, lines }: Evidence): Promise<Finding[]> {
  const startedMs = Date.now() - uptime() * 1000;
  const rows = await postgres.query<{ name: string; endedAt: Date; state: string; why: string }>(
    `select s.run || '.' || s.seq || ' ' || s.attempt as name, s.ended_at as "endedAt", s.state, s.why from step s
     where s.state in ('succeeded', 'failed', 'cancelled') and s.why not like '%may still be running%' and exists (
       select 1 from seen_transition t where t.run = s.run and t.seq = s.seq and t.after = s.state and t.before in ('offered', 'running'))`,
  );
  const ends = new Map(rows.map((row) => [row.name, row]));
  return lines.flatMap((line) => {
    const end = ends.get(`${line.key} ${line.attempt}`);
    if (end === undefined || startedMs + line.at * 1000 <= end.endedAt.getTime() + clocksDifferMs) return [];
    return [{ line, end }];
  });
}

/** Of one of the stubborn, in seconds: from an acknowledged cancel to its last word, and from the word that it was told to that. */
export interface Stop {
  readonly key: string;
  readonly ended: boolean;
  readonly toLastWord: number;
  readonly grace: number | undefined;
}

export function stopsOf(evidence: Evidence): Stop[] {
  const acks = cancelTimes(evidence);
  const attempts = Map.groupBy(
    evidence.lines.filter(({ step }) => step === "stay"),
    ({ key, attempt }) => `${key} ${attempt}`,
  );
  return [...attempts.values()].flatMap((words): Stop[] => {
    const [first, last] = [words[0] as BodyLine, words.at(-1) as BodyLine];
    const ack = acks.get(runOf(first.key));
    if (ack === undefined) return [];
    const told = words.find(({ what }) => what === "told");
    return [
      {
        key: first.key,
        ended: last.what === "end",
        toLastWord: last.at - ack,
        grace: told && last.at - told.at,
      },
    ];
  });
}

const graceSeconds = 10;
/** It is given anew when an agent is killed meanwhile, and is longer for one that sleeps: such as those are few. */
const usualSeconds = [graceSeconds - 1, graceSeconds + 2] as const;
/** Some faults on one agent after the other. Left alone, they would go on for ten minutes. */
const mostSeconds = 120;

/** I9: what runs ends, and has its grace before. */
export function brokenStops(stops: readonly Stop[]): Finding[] {
  const graces = stops.flatMap(({ grace }) => grace ?? []).sort((a, b) => a - b);
  const usual = graces[Math.floor(graces.length / 2)];
  const [least, most] = usualSeconds;
  return [
    ...stops
      .filter(({ ended, toLastWord }) => ended || toLastWord > mostSeconds)
      .map((stop) => ({ ...stop })),
    ...(usual === undefined || usual < least || usual > most ? [{ usualGrace: usual ?? "none" }] : []),
  ];
}

function cancelTimes({ acknowledged }: Evidence): ReadonlyMap<string, number> {
  return new Map(acknowledged.filter(({ does }) => does === "cancel").map(({ run, at }) => [run, at]));
}

const runOf = (key: string) => key.split(".")[0] ?? "";
