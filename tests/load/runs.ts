import { readPostgres } from "./api/postgres-facts.ts";
import type { Bench } from "./measure/bench.ts";
import { runStaged } from "./measure/staged.ts";
import { startPostgres } from "./runs/postgres.ts";
import { openSite } from "./runs/site.ts";
import { stages } from "./runs/stages.ts";

/**
 * Runs and agents beside pg-boss, graphile-worker and DBOS on one Postgres: throughput, latency, chains, processes, many
 * agents, logs, memory, and what of the speed is kept with ten times as many finished runs in the store.
 */
export const runs: Bench = {
  summary: "steps, chains, logs and agents beside pg-boss, graphile-worker and DBOS",
  minutes: 45,
  quickMinutes: 12,
  stages: stages.map(({ name }) => name),
  run: (premises, options) =>
    runStaged(premises, options, {
      bench: "runs",
      title: "Runs benchmark",
      stages,
      async open(premises, quick, profileFolder) {
        return openSite({ premises, quick, profileFolder, postgres: await startPostgres(premises) });
      },
      async beside({ postgres }) {
        const { version, fsync, synchronousCommit } = await readPostgres(postgres.url);
        return `Postgres ${version}, fsync ${fsync}, synchronous_commit ${synchronousCommit}`;
      },
    }),
};
