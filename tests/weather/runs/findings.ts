import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processesOf } from "../../harness/agent-process.ts";
import type { PrivatePostgres } from "../../harness/private-postgres.ts";
import type { BodyLine } from "./ledger-lines.ts";
import type { Acknowledged } from "./traffic.ts";
import { cleanup, onceSteps } from "./workflows.ts";
import type { World } from "./world.ts";

/**
 * The invariants of runs, each as a search for what breaks it: what is found is wrong. The ledgers are the judges; the database is
 * only asked what it holds.
 */
export interface Evidence {
  readonly postgres: PrivatePostgres;
  readonly acknowledged: readonly Acknowledged[];
  readonly lines: readonly BodyLine[];
}

export type Finding = Record<string, unknown>;

/** I1: each acknowledged trigger made one run, and there is no run that nobody asked for. */
export async function brokenTriggers({ postgres, acknowledged }: Evidence): Promise<Finding[]> {
  const rows = await postgres.query<{ id: string; name: string }>(
    "select id, name from run where cause = 'person' and parent_run is null",
  );
  const asked = new Map(acknowledged.filter(({ does }) => does === "trigger").map((one) => [one.run, one]));
  const found = new Set(rows.map((row) => row.id));
  return [
    ...[...asked.values()].filter(({ run }) => !found.has(run)).map((one) => ({ lost: one })),
    ...rows.filter((row) => asked.get(row.id)?.workflow !== row.name).map((row) => ({ unasked: row })),
  ];
}

/** I2: nothing is stuck: with fine weather, every run ends. */
export function unended({ postgres }: Pick<Evidence, "postgres">): Promise<Finding[]> {
  return postgres.query<Finding>(
    `select r.id, r.name, r.state, r.open, r.cancelled_at, s.seq, s.state as step, s.reason, s.why, s.epoch, a.name as agent, a.state as agent_state
     from run r left join step s on s.run = r.id and s.ended_at is null left join agent a on a.uid = s.agent
     where r.ended_at is null and r.created_at < now() - interval '3 seconds' order by r.id`,
  );
}

/** What `recordTransitions` has seen and is not allowed. */
export function brokenTransitions({ postgres }: Evidence): Promise<Finding[]> {
  const ended = "('succeeded', 'failed', 'cancelled', 'skipped')";
  return postgres.query<Finding>(
    `select * from seen_transition where
       -- I3: an end is never left: nobody in the storm asks for a retry.
       before in ${ended}
       -- I4: an epoch never goes back; it rises by one, and only with a claim.
       or epoch < epoch_before
       or (epoch <> epoch_before and not (epoch = epoch_before + 1 and after = 'offered'))
       or (after = 'offered' and before not in ('ready', 'blocked'))
       or (after = 'running' and before <> 'offered' and not (before = 'waiting' and reason_before = 'lost'))
       -- I9: nothing is offered of a run that was cancelled, and what begins with its accept is not accepted. The rest may have begun
       -- with its offer, before the cancel: the accept says so, and it is told to stop. Cleanup steps are done all the same.
       or (after = 'offered' and cancelled and not (workflow = '${cleanup.workflow}' and def = ${cleanup.def}))
       or (after = 'running' and before = 'offered' and cancelled and begins_accepted)`,
  );
}

/** I3: the rows of an ended run are ended too, and each attempt before the last has an end of its own. */
export async function brokenEnds({ postgres }: Evidence): Promise<Finding[]> {
  const open = await postgres.query<Finding>(
    `select r.id, r.state, r.open, s.seq, s.state as step from run r join step s on s.run = r.id
     where r.ended_at is not null and (s.ended_at is null or r.open <> 0)`,
  );
  const attempts = await postgres.query<Finding>(
    `select s.run, s.seq, s.epoch, s.state, count(a.epoch)::int as past, max(a.epoch) as latest
     from step s left join step_attempt a on a.run = s.run and a.seq = s.seq
     group by s.run, s.seq, s.epoch, s.state
     having count(a.epoch) < s.epoch - 1 or count(a.epoch) > s.epoch or max(a.epoch) > s.epoch`,
  );
  return [...open, ...attempts];
}

/** I4: what is recorded of an attempt came from this attempt. */
export function brokenEpochs({ postgres }: Evidence): Promise<Finding[]> {
  return postgres.query<Finding>(
    `select run, seq, attempt, outputs from step
     where state = 'succeeded' and outputs ? 'attempt' and (outputs ->> 'attempt')::bigint <> attempt`,
  );
}

/** I5: what may happen once has not begun twice, and of what is exclusive no attempt spoke after a later one had begun. */
export function brokenEffects({ lines }: Evidence): Finding[] {
  const starts = new Map<string, number>();
  const newest = new Map<string, number>();
  const findings: Finding[] = [];
  for (const line of lines) {
    const { what, key, step, attempt } = line;
    if (onceSteps.includes(step) && what === "start") {
      const count = (starts.get(key) ?? 0) + 1;
      starts.set(key, count);
      if (count > 1) findings.push({ begunAgain: line });
    }
    if (step === "only") {
      if (attempt < (newest.get(key) ?? 0)) findings.push({ overlaps: line, with: newest.get(key) });
      newest.set(key, Math.max(attempt, newest.get(key) ?? 0));
    }
  }
  return findings;
}

/** I6: what succeeded has happened. */
export async function brokenPromises({ postgres, lines }: Evidence): Promise<Finding[]> {
  const rows = await postgres.query<{ key: string; attempt: string; name: string }>(
    `select s.run || '.' || s.seq as key, s.attempt, r.name from step s join run r on r.id = s.run
     where s.state = 'succeeded' and s.outputs ? 'attempt'`,
  );
  const ends = new Set(
    lines.filter(({ what }) => what === "end").map(({ key, attempt }) => `${key} ${attempt}`),
  );
  const missing = rows.filter(({ key, attempt }) => !ends.has(`${key} ${attempt}`));
  const [row] = await postgres.query<{ count: number }>(
    `select count(*)::int as count from step s join run r on r.id = s.run
     where s.state = 'succeeded' and r.name not in ('ticking') and s.agent is not null and not s.outputs ? 'attempt'`,
  );
  return [...missing, ...((row?.count ?? 0) > 0 ? [{ withoutOutputs: row?.count }] : [])];
}

/** I7: nothing runs any more. */
export function orphans(folders: readonly string[]): Finding[] {
  return folders.flatMap((data) => processesOf(data).map((pid) => ({ data, pid, of: attemptOf(pid) })));
}

/** Of a process that may have ended meanwhile. */
function attemptOf(pid: number): string {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return environment.filter((one) => /^REEVE_(KEY|STEP|ATTEMPT)=/.test(one)).join(" ");
  } catch {
    return "";
  }
}

/** What has failed says so, and nothing that needs it began; it is tidied up, also when it was cancelled. */
export async function brokenFailures({ postgres, lines }: Evidence): Promise<Finding[]> {
  const rows = await postgres.query<{ id: string; state: string; cancelled: boolean }>(
    "select id, state, cancelled_at is not null as cancelled from run where name = $1",
    [cleanup.workflow],
  );
  const tidied = new Set(
    lines
      .filter(({ what, step }) => what === "end" && step === cleanup.step)
      .map(({ key }) => key.split(".")[0]),
  );
  const failed = rows.filter(({ state }) => state === "failed");
  const tidies = await tidiesBy(postgres);
  return [
    ...(failed.length === 0 ? [{ failed: "none" }] : []),
    ...rows.filter(({ state, cancelled }) => state !== (cancelled ? "cancelled" : "failed")),
    ...rows.filter(({ id }) => !tidied.has(id)).map((row) => ({ untidied: row, ended: tidies.get(row.id) })),
    ...lines.filter(({ step }) => step === "never").map((line) => ({ begun: line })),
  ];
}

/** What came of the cleanup of each run. */
async function tidiesBy(postgres: Evidence["postgres"]): Promise<ReadonlyMap<string, object>> {
  const rows = await postgres.query<{
    run: string;
    state: string;
    why: string;
    agent: string;
    attempt: number;
  }>(
    "select s.run, s.state, s.why, s.agent, s.attempt from step s join run r on r.id = s.run where r.name = $1 and s.def = $2",
    [cleanup.workflow, cleanup.def],
  );
  return new Map(rows.map(({ run, ...step }) => [run, step]));
}

/** I10: every second has its run, and none has two; and so many seconds there were at least. */
export async function brokenTicks(
  { postgres }: Pick<Evidence, "postgres">,
  least: number,
): Promise<Finding[]> {
  const rows = await postgres.query<{ at: Date; count: number }>(
    `select scheduled_at as at, count(*)::int as count from run where cause = 'schedule' group by scheduled_at order by scheduled_at`,
  );
  const broken = rows.filter(({ at, count }, place) => {
    const before = rows[place - 1]?.at;
    return count !== 1 || (before !== undefined && at.getTime() - before.getTime() !== 1000);
  });
  return rows.length < least ? [...broken, { ticks: rows.length, least }] : broken;
}

/** I14: nothing is held open, kept in memory or left on a disk for what is over. */
export function leftovers({ replicas, agents }: Pick<World, "replicas" | "agents">): Finding[] {
  const processes = [
    ...replicas.map(({ name, server }) => ({ name, pid: server.pid, mostFiles: 150, mostMb: 500 })),
    ...agents.map(({ agent }) => ({ name: agent.name, pid: agent.pid, mostFiles: 100, mostMb: 200 })),
  ];
  const swollen = processes.flatMap(({ name, pid, mostFiles, mostMb }) => {
    const files = readdirSync(`/proc/${pid}/fd`).length;
    const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    const mb = Number(kb) / 1024;
    return files > mostFiles || mb > mostMb ? [{ name, files, mb }] : [];
  });
  const kept = agents.flatMap(({ agent }) => {
    const attempts = readdirSync(join(agent.data, "attempts")).length;
    return attempts > 0 ? [{ name: agent.name, attempts }] : [];
  });
  return [...swollen, ...kept];
}

/** Weather is no error: what a replica says in its log at that level is for us to look at. */
export function loggedErrors({ replicas }: Pick<World, "replicas">): Finding[] {
  const lines = replicas.flatMap(({ server }) => server.stderr().split("\n").filter(Boolean));
  return lines.filter((line) => line.includes('"level":50')).map((error) => ({ error }));
}

/** I13: each acknowledged trigger and cancel has one audit row. */
export async function brokenAudit({ postgres, acknowledged }: Evidence): Promise<Finding[]> {
  const rows = await postgres.query<{ operation: string; count: number }>(
    `select operation, count(*)::int as count from audit where operation in ('trigger', 'cancel') and outcome = 'done' group by operation`,
  );
  const of = (does: string) => rows.find(({ operation }) => operation === does)?.count ?? 0;
  return (["trigger", "cancel"] as const).flatMap((does) => {
    const count = acknowledged.filter((one) => one.does === does).length;
    return count === of(does) ? [] : [{ does, acknowledged: count, audited: of(does) }];
  });
}
