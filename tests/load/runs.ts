import { writeFileSync } from "node:fs";
import { readPostgres } from "./api/postgres-facts.ts";
import type { Bench } from "./measure/bench.ts";
import { readMachine } from "./measure/machine.ts";
import { say } from "./measure/progress.ts";
import { table } from "./measure/table.ts";
import { stageRows } from "./runs/figures.ts";
import { startPostgres } from "./runs/postgres.ts";
import { openSite } from "./runs/site.ts";
import { measureStages, stages } from "./runs/stages.ts";

/**
 * Runs and agents beside pg-boss, graphile-worker and DBOS on one Postgres: throughput, latency, chains, processes, many
 * agents, logs, memory, and the same again with ten times as many finished runs in the store.
 */
export const runs: Bench = {
  summary: "steps, chains, logs and agents beside pg-boss, graphile-worker and DBOS",
  minutes: 40,
  quickMinutes: 10,
  stages: stages.map(({ name }) => name),
  async run(premises, options) {
    const machine = readMachine(premises.folder());
    say(
      `${machine.cores} cores, ${machine.fileSystem}, a durable write takes ${machine.syncMs.p50.toFixed(2)} ms, load ${machine.loadBefore.toFixed(2)}`,
    );
    const postgres = await startPostgres(premises);
    const facts = await readPostgres(postgres.url);
    const columns = await measureStages(
      openSite({ premises, quick: options.quick, profileFolder: options.profileFolder, postgres }),
      options.only,
    );
    const rows = stages.flatMap(({ name, title }) =>
      stageRows(
        title,
        columns.map((column) => column[name]),
      ),
    );
    const problems = columns.flatMap((column, index) =>
      Object.entries(column).flatMap(([name, outcome]) =>
        "problem" in outcome ? [`${name}${index > 0 ? " (again)" : ""}: ${outcome.problem}`] : [],
      ),
    );
    if (options.jsonFile !== undefined)
      writeFileSync(
        options.jsonFile,
        `${JSON.stringify({ bench: "runs", machine, postgres: facts, options, rows, problems, columns }, undefined, 2)}\n`,
      );
    process.stdout.write(
      `Runs benchmark, ${machine.date.slice(0, 16)}Z, commit ${machine.commit}\n` +
        `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.fileSystem}, Node ${machine.node}\n` +
        `Postgres ${facts.version}, fsync ${facts.fsync}, synchronous_commit ${facts.synchronousCommit}; ` +
        `a durable write of 8 KB takes ${machine.syncMs.p50.toFixed(2)} ms\n\n` +
        `${table(["measured", "10 x runs"].slice(0, columns.length), rows)}\n` +
        problems.map((problem) => `\nCOULD NOT MEASURE ${problem}\n`).join(""),
    );
  },
};
