import { writeFileSync } from "node:fs";
import { apiRows } from "./api/rows.ts";
import { type Figures, measureSize, stages } from "./api/stages.ts";
import type { Bench } from "./measure/bench.ts";
import { readMachine } from "./measure/machine.ts";
import { say } from "./measure/progress.ts";
import { table, whole } from "./measure/table.ts";

/**
 * The API on two sizes of an installation: writes against what the database itself can do, reads and watches at a fixed
 * rate, memory. The server, its database and the load share the machine's cores, as they would at a small team's.
 */
export const api: Bench = {
  summary: "applies, reads, watches and memory of one server",
  minutes: 16,
  quickMinutes: 6,
  stages,
  async run(premises, options) {
    const machine = readMachine(premises.folder());
    say(
      `${machine.cores} cores, ${machine.fileSystem}, a durable write takes ${machine.syncMs.p50.toFixed(2)} ms, load ${machine.loadBefore.toFixed(2)}`,
    );
    const sizes = options.sizes.length > 0 ? options.sizes : [100_000, 10_000];
    const measured: Figures[] = [];
    for (const size of sizes) measured.push(await measureSize(premises, size, options));
    const rows = apiRows(measured);
    const { postgres } = measured[0] as Figures;
    if (options.jsonFile !== undefined)
      writeFileSync(
        options.jsonFile,
        `${JSON.stringify({ bench: "api", machine, postgres, options, rows, measured }, undefined, 2)}\n`,
      );
    process.stdout.write(
      `API benchmark, ${machine.date.slice(0, 16)}Z, commit ${machine.commit}\n` +
        `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.fileSystem}, Node ${machine.node}\n` +
        `Postgres ${postgres.version}, fsync ${postgres.fsync}, synchronous_commit ${postgres.synchronousCommit}; ` +
        `a durable write of 8 KB takes ${machine.syncMs.p50.toFixed(2)} ms\n\n` +
        `${table(
          sizes.map((size) => `${whole(size)} res.`),
          rows,
        )}\n`,
    );
  },
};
