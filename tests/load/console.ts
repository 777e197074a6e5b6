import { writeFileSync } from "node:fs";
import { openSite } from "./console/site.ts";
import { stages } from "./console/stages.ts";
import type { Bench } from "./measure/bench.ts";
import { readMachine } from "./measure/machine.ts";
import { say } from "./measure/progress.ts";
import { measureEach, refuseUnknown } from "./measure/stages.ts";
import { table } from "./measure/table.ts";
import { stageRows } from "./runs/figures.ts";

/** The console in a headless Chromium on the machine of its server: first loads, long lists, long logs, many changes. */
export const consoleBench: Bench = {
  summary: "first loads, a list of 10,000 rows, a log of 1,000,000 lines, live changes",
  minutes: 15,
  quickMinutes: 8,
  async run(premises, options) {
    refuseUnknown(options.only, stages);
    const machine = readMachine(premises.folder());
    say(`${machine.cores} cores, load ${machine.loadBefore.toFixed(2)}`);
    const wanted = stages.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
    const column = await measureEach(await openSite(premises, options.quick), wanted);
    const rows = stages.flatMap(({ name, title }) => stageRows(title, [column[name]]));
    if (options.jsonFile !== undefined)
      writeFileSync(
        options.jsonFile,
        `${JSON.stringify({ bench: "console", machine, options, rows, column }, undefined, 2)}\n`,
      );
    process.stdout.write(
      `Console benchmark, ${machine.date.slice(0, 16)}Z, commit ${machine.commit}\n` +
        `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, load before ${machine.loadBefore.toFixed(2)}\n\n` +
        `${table(["measured"], rows)}\n` +
        Object.entries(column)
          .map(([name, one]) => ("problem" in one ? `\nCOULD NOT MEASURE ${name}: ${one.problem}\n` : ""))
          .join(""),
    );
  },
};
