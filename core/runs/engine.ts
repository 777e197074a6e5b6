import type { Database, Sql } from "@reeve/store";
import {
  dueSteps,
  idleLimits,
  queuedLimits,
  type StepKey,
  stoppingSteps,
  wokenRuns,
  wokenSteps,
} from "@reeve/store/runs";
import { admitRuns } from "./admit.ts";
import { openAgentSide } from "./agent-side.ts";
import { attendSteps } from "./attend.ts";
import type { Means } from "./begin.ts";
import { claimReady } from "./claim.ts";
import { openExpiry } from "./expire.ts";
import { releaseRuns, releaseSteps } from "./limits.ts";
import { openLinks } from "./links.ts";
import { makeResource } from "./make.ts";
import { openHeads } from "./offers.ts";
import { operate } from "./operate.ts";
import { openPlans } from "./plans.ts";
import { openQueues } from "./queue-ids.ts";
import type { RunHooks, Runs } from "./runs.ts";
import { settleRun } from "./settle.ts";
import { startTask, type Task } from "./task.ts";
import type { Wrote } from "./turn.ts";

interface EngineLog {
  warn(detail: object, message: string): void;
  info(detail: object, message: string): void;
}

export interface RunsOptions {
  readonly database: Database;
  readonly replica: string;
  readonly hooks: RunHooks;
  readonly log: EngineLog;
  /** Whether this replica decides, settles and expires. */
  readonly works: boolean;
  /** The kind of the quotas that also limit runs; none when left out. */
  readonly quotas?: string | undefined;
  /** Hints to the other replicas. */
  readonly tellPeers?: () => void;
  readonly leaseMs?: number;
  /** A sixth of the lease, so that a few may get lost. */
  readonly beatMs?: number;
}

const sweepMs = 1000;
const attendMost = 500;
const graceMs = 10_000;

/** Opens a replica's engine. Wakes are hints; sweeps find everything within a second. */
export function openRuns(options: RunsOptions): Runs {
  const { database, log, hooks, works, leaseMs = 30_000, beatMs = leaseMs / 6 } = options;
  const plans = openPlans();
  const queues = openQueues(database);
  const links = openLinks();
  const crowded = new Set<string>();
  const heads = openHeads();
  const means: Means = { plans, heads, queues, hooks, quotas: options.quotas };
  const expiry = openExpiry(database, plans, leaseMs);
  const toRelease = new Set<string>();
  /** What operations wrote in transactions of others, until they say that these are committed. */
  const pending: Wrote[] = [];
  let touched = false;
  const figures = { claimed: 0, attended: 0, settled: 0, accepted: 0, finished: 0, lostAgents: 0 };

  const trouble = (what: string) => (error: unknown) =>
    log.warn({ err: error }, `${what} failed; trying again in a second`);

  const claiming = startTask(trouble("claiming steps"), async () => {
    while (links.size > 0) {
      const claimed = await claimReady({
        database,
        links,
        queues,
        plans,
        heads,
        crowded,
        unfit: agents.unfit,
      });
      figures.claimed += claimed;
      if (claimed === 0) return;
    }
  });
  const attending = startTask(trouble("deciding steps"), async () => {
    for (let more = true; more; ) {
      const due = await dueSteps(database, attendMost);
      await attendAll(due);
      const woken = await wokenSteps(database, attendMost);
      await attendAll(woken.filter(({ reason }) => reason !== "resource"));
      for (const key of woken.filter(({ reason }) => reason === "resource"))
        await makeResource(database, key, means).then(react, trouble("making a resource"));
      // One that cannot be settled is tried again with the next sweep, and keeps no other waiting.
      for (const woken of await wokenRuns(database, attendMost))
        await settle(woken).catch(trouble("settling a run"));
      more = due.length + woken.length >= attendMost;
    }
  });
  const releasing = startTask(trouble("releasing limits"), async () => {
    for (const key of toRelease) {
      toRelease.delete(key);
      if (key.startsWith("run ")) {
        const begun = await database.transact((sql) => releaseRuns(sql, key, plans));
        if (begun.length > 0) attending.wake();
      } else react(await database.transact((sql) => releaseSteps(sql, key, plans)));
    }
  });
  const stopping = startTask(trouble("stopping attempts"), async () => {
    const agents = [...links.all()].map((link) => link.uid);
    if (agents.length === 0) return;
    for (const { agent, why, ...held } of await stoppingSteps(database, agents))
      links.byUid(agent)?.ear.stop([{ ...held, graceMs, why }]);
  });
  const tasks: readonly Task[] = [claiming, attending, releasing, stopping];

  /** By runs, so that one transaction holds few locks and one bad run does not hold others up. */
  async function attendAll(keys: readonly StepKey[]): Promise<void> {
    if (keys.length === 0) return;
    figures.attended += keys.length;
    const together = async (some: readonly StepKey[]) =>
      react(await database.transact((sql) => attendSteps(sql, some, means)));
    const byRun = [...Map.groupBy(keys, ({ run }) => run).values()];
    const apart = async () => {
      for (const some of byRun) await together(some).catch(trouble("deciding steps of a run"));
    };
    if (byRun.length === 1) await apart();
    else await together(keys).catch(apart);
  }

  async function settle(woken: Parameters<typeof settleRun>[1]): Promise<void> {
    figures.settled++;
    const { wrote, released, pushes } = await database.transact((sql) => settleRun(sql, woken, means));
    react(wrote);
    if (released !== null) release([released]);
    for (const older of pushes) await cancelQuietly(older, "a newer run took its place");
  }

  /** Cancelled with another run, unless it has ended by itself meanwhile. */
  async function cancelQuietly(id: string, why: string): Promise<void> {
    await database
      .transact((sql) => operate(sql, id, { does: "cancel", why }, "", means))
      .then(react, (error) => log.info({ err: error, run: id }, "not cancelled"));
  }

  function release(keys: readonly string[]): void {
    if (!works) return;
    for (const key of keys) toRelease.add(key);
    if (keys.length > 0) releasing.wake();
  }

  /** After a commit: whoever has something to do now, here and elsewhere. */
  function react(wrote: Wrote): void {
    if (wrote.ready) claiming.wake();
    if (works && (wrote.due || wrote.settles)) attending.wake();
    if (wrote.stops) stopping.wake();
    if (works && wrote.wakeMs !== undefined) attending.wakeIn(wrote.wakeMs);
    release(wrote.released);
    for (const [child, why] of wrote.cancels) void cancelQuietly(child, why);
    const here = links.size > 0 && works;
    if (!here && (wrote.ready || wrote.due || wrote.settles || wrote.stops)) options.tellPeers?.();
  }

  const agents = openAgentSide({
    ...{ database, replica: options.replica, hooks, links, plans, heads, crowded, leaseMs, beatMs, figures },
    react,
    roomAgain: () => claiming.wake(),
    stopsDue: () => stopping.wake(),
    blinded: () => expiry.blinded(),
  });

  function wake(): void {
    for (const wrote of pending.splice(0)) react(wrote);
    claiming.wake();
    stopping.wake();
    if (works) attending.wake();
  }

  let sweeps = 0;
  const sweep = setInterval(() => {
    sweeps++;
    claiming.wake();
    if (sweeps % 5 === 0) stopping.wake();
    if (sweeps % 5 === 3) void agents.tend().catch(trouble("taking offers back"));
    if (sweeps % 5 === 1) void queues.refresh().catch(trouble("reading queues"));
    if (!works) return;
    attending.wake();
    expiring.wake();
    if (sweeps % 5 === 2)
      void Promise.all([idleLimits(database, 1000), queuedLimits(database, 1000)])
        .then((keys) => release(keys.flat()))
        .catch(trouble("looking at limits"));
  }, sweepMs);
  sweep.unref();
  const expiring = startTask(trouble("looking at leases"), async () => {
    const lost = await expiry.sweep(react);
    figures.lostAgents += lost.length;
    for (const uid of lost) log.warn({ agent: uid }, "an agent was lost: its lease ran out");
  });
  void queues.refresh().catch(trouble("reading queues"));

  return {
    agents,
    get figures() {
      return { ...figures, links: links.size };
    },
    async admit(sql: Sql, drafts) {
      await admitRuns(sql, drafts, means);
      touched = true;
    },
    async operate(sql, run, operation, by) {
      const wrote = await operate(sql, run, operation, by, means);
      // Not yet committed: what is missed by waking too early, the caller's `wake` or the next sweep finds.
      pending.push(wrote);
      touched = true;
    },
    committed() {
      const was = touched;
      touched = false;
      if (was) wake();
      return was;
    },
    wake() {
      wake();
      options.tellPeers?.();
    },
    heard: wake,
    async stop() {
      clearInterval(sweep);
      await Promise.all([...tasks, expiring].map((task) => task.stop()));
    },
  };
}
