import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type CpuShares, countCpu, familyMs, processMs } from "../measure/cpu.ts";
import { type Api, organization, signUp } from "./api.ts";
import { type Replica, type ReplicaOptions, startReplica } from "./replica.ts";
import type { Site } from "./site.ts";
import type { WorkflowName } from "./workflows.ts";

/** Reeve on a database of its own, with its administrator and one replica; agents and workflows come apart. */
export interface Installation {
  readonly databaseUrl: string;
  readonly replica: Replica;
  readonly api: Api;
  trigger(workflow: WorkflowName, inputs?: Readonly<Record<string, string>>): Promise<string>;
  triggerMany(workflow: WorkflowName, count: number): Promise<void>;
  /** Until no run is open, however it ended; then all that ended must have succeeded. */
  untilDone(): Promise<void>;
  /** Milliseconds of the wall clock when a run ended, by the database. */
  endedAt(run: string): Promise<number>;
  /** Until it has ended: what runs outlives its agent, and a flood that nobody ends fills the disk. */
  cancel(run: string): Promise<void>;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  countCpu(more: Readonly<Record<string, () => number>>): () => CpuShares;
  end(): Promise<void>;
}

const patienceMs = 120_000;

export async function startInstallation(
  site: Site,
  name: string,
  options: Omit<ReplicaOptions, "name" | "databaseUrl"> = {},
): Promise<Installation> {
  const databaseUrl = await site.postgres.database(name);
  const replica = await startReplica(site, { ...options, name: "one", databaseUrl });
  if (replica.setupSecret === undefined) throw new Error("the server printed no setup link");
  const api = await signUp(replica.port, replica.setupSecret);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Without statistics it would read a table of a million runs to look at the newest, and that would be counted as the engine's time.
  await client.query("set enable_seqscan = off");
  const endClient = site.premises.ending(() => client.end());
  const query: Installation["query"] = async (text, values = []) =>
    (await client.query({ text, values })).rows;
  let lookedAt = "00000000-0000-0000-0000-000000000000";
  const act = <Output>(workflow: WorkflowName, action: string, input: unknown) =>
    api.post<Output>(`/api/v1/organizations/${organization}/workflows/${workflow}/actions/${action}`, input);
  return {
    databaseUrl,
    replica,
    api,
    query,
    async trigger(workflow, inputs = {}) {
      return (await act<{ run: string }>(workflow, "trigger", { inputs })).run;
    },
    async triggerMany(workflow, count) {
      const runs = Array.from({ length: count }, () => ({}));
      await act(workflow, "trigger-many", { runs });
    },
    async untilDone() {
      const deadline = performance.now() + patienceMs;
      while ((await query("select 1 from run where ended_at is null limit 1")).length > 0) {
        if (performance.now() > deadline) throw new Error(await stuck(query));
        await sleep(10);
      }
      // Only the newest: the others were looked at before.
      const [failed] = await query<{ name: string; state: string; why: string }>(
        "select name, state, why from run where id > $1 and state not in ('succeeded', 'cancelled') limit 1",
        [lookedAt],
      );
      if (failed !== undefined) throw new Error(`a run of ${failed.name} ${failed.state}: ${failed.why}`);
      const [newest] = await query<{ id: string }>("select id from run order by id desc limit 1");
      lookedAt = newest?.id ?? lookedAt;
    },
    async cancel(run) {
      await api.post(`/api/v1/runs/${run}/cancel`, {});
      for (let waited = 0; waited < 60_000; waited += 100) {
        if ((await query("select 1 from run where id = $1 and ended_at is not null", [run])).length > 0)
          return;
        await sleep(100);
      }
      throw new Error("the run did not end within a minute of its cancel");
    },
    async endedAt(run) {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const [row] = await query<{ at: number | null; state: string; why: string }>(
          "select extract(epoch from ended_at)::float8 * 1000 as at, state, why from run where id = $1",
          [run],
        );
        if (row?.at) {
          if (row.state !== "succeeded") throw new Error(`the run ${row.state}: ${row.why}`);
          return row.at;
        }
        if (performance.now() > deadline) throw new Error(await stuck(query));
        // Rarely: when it ended is the database's word, and each look takes of what is measured.
        await sleep(100);
      }
    },
    countCpu: (more) =>
      countCpu({
        server: () => processMs(replica.pid),
        postgres: () => familyMs(site.postgres.pid),
        load: () => processMs(process.pid),
        ...more,
      }),
    async end() {
      api.close();
      await endClient();
      await replica.end();
    },
  };
}

/** Where everything stands, for whoever looks why nothing moves. */
async function stuck(query: Installation["query"]): Promise<string> {
  const states = await query("select state, reason, count(*)::int as steps from step group by 1, 2");
  return `not done after ${patienceMs / 1000} s; steps: ${JSON.stringify(states)}`;
}

/** Milliseconds of the wall clock, finer than Date's: the database on this machine tells the same one. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}
