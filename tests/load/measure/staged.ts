import { writeFileSync } from "node:fs";
import { stageRows } from "../runs/figures.ts";
import type { BenchOptions } from "./bench.ts";
import { readMachine } from "./machine.ts";
import type { Premises } from "./premises.ts";
import { say } from "./progress.ts";
import { type MeasuredStage, measureEach } from "./stages.ts";
import { table } from "./table.ts";

export interface Staged<Site> {
  readonly bench: string;
  readonly title: string;
  readonly stages: readonly MeasuredStage<Site>[];
  open(premises: Premises, quick: boolean, profileFolder: string | undefined): Promise<Site>;
  /** What else its figures are to be read beside. */
  beside?(site: Site): Promise<string>;
}

/** A benchmark of one column: opens its site, measures the stages that are wanted, and reports. */
export async function runStaged<Site>(
  premises: Premises,
  options: BenchOptions,
  { bench, title, stages, open, beside }: Staged<Site>,
): Promise<void> {
  const machine = readMachine(premises.folder());
  say(
    `${machine.cores} cores, ${machine.fileSystem}, a durable write takes ${machine.syncMs.p50.toFixed(2)} ms, load ${machine.loadBefore.toFixed(2)}`,
  );
  const wanted = stages.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  const site = await open(premises, options.quick, options.profileFolder);
  const facts = [
    `a durable write of 8 KB takes ${machine.syncMs.p50.toFixed(2)} ms`,
    ...(beside === undefined ? [] : [await beside(site)]),
  ];
  const column = await measureEach(site, wanted);
  const rows = stages.flatMap((stage) => stageRows(stage.title, column[stage.name]));
  if (options.jsonFile !== undefined)
    writeFileSync(
      options.jsonFile,
      `${JSON.stringify({ bench, machine, facts, options, rows, column }, undefined, 2)}\n`,
    );
  process.stdout.write(
    `${title}, ${machine.date.slice(0, 16)}Z, commit ${machine.commit}\n` +
      `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.fileSystem}, Node ${machine.node}, load before ${machine.loadBefore.toFixed(2)}\n` +
      `${facts.join("; ")}\n\n` +
      `${table(["measured"], rows)}\n` +
      Object.entries(column)
        .map(([name, one]) => ("problem" in one ? `\nCOULD NOT MEASURE ${name}: ${one.problem}\n` : ""))
        .join(""),
  );
}
