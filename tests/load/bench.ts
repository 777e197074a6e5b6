/**
 * `npm run bench -- NAME [--quick] [--json FILE]`: lists and starts the benchmarks. A benchmark reports what it measured
 * and ends with 0 also when a bar was missed; another code means that it could not measure.
 */
import { parseArgs } from "node:util";
import type { Bench } from "./measure/bench.ts";
import { within } from "./measure/premises.ts";
import { say } from "./measure/progress.ts";

/** Each benchmark is a file beside this one; it is loaded only when it is asked for. */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  api: async () => (await import("./api.ts")).api,
  backup: async () => (await import("./backup.ts")).backup,
  runs: async () => (await import("./runs.ts")).runs,
  console: async () => (await import("./console.ts")).consoleBench,
  services: async () => (await import("./services.ts")).services,
  start: async () => (await import("./start.ts")).start,
};

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      profile: { type: "string" },
      only: { type: "string" },
      sizes: { type: "string" },
    },
  });
  const [name, ...rest] = positionals;
  if (name === undefined) return list();
  const load = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (load === undefined || rest.length > 0) {
    say(`there is no benchmark ${JSON.stringify([name, ...rest].join(" "))}; \`npm run bench\` lists them`);
    return 2;
  }
  if (process.platform !== "linux") throw new Error("the benchmarks read /proc: run them on Linux");
  const bench = await load();
  const only = values.only?.split(",") ?? [];
  const unknown = only.filter((stage) => !bench.stages.includes(stage));
  if (unknown.length > 0) {
    say(
      `the benchmark ${name} has no stage ${unknown.map((stage) => JSON.stringify(stage)).join(", ")}; it has ${bench.stages.join(", ") || "none"}`,
    );
    return 2;
  }
  const options = {
    quick: values.quick,
    ...(values.json === undefined ? {} : { jsonFile: values.json }),
    ...(values.profile === undefined ? {} : { profileFolder: values.profile }),
    only,
    sizes: values.sizes?.split(",").map(Number) ?? [],
  };
  const limitMs = (values.quick ? bench.quickMinutes : bench.minutes) * 60_000;
  await within(limitMs, (premises) => bench.run(premises, options));
  return 0;
}

async function list(): Promise<number> {
  process.stdout.write("npm run bench -- NAME [--quick] [--json FILE]\n\n");
  for (const [name, load] of Object.entries(benches)) {
    const { summary, minutes, quickMinutes } = await load();
    process.stdout.write(
      `  ${name.padEnd(8)} ${summary}\n           at most ${minutes} minutes, --quick ${quickMinutes}\n`,
    );
  }
  process.stdout.write(
    "\n  --only STAGE,…    some stages, for whoever works on one figure\n" +
      "  --sizes N,…       other numbers of resources\n" +
      "  --profile FOLDER  a CPU profile of the server (its figures are then not the true ones)\n",
  );
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(`could not measure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exitCode = 1;
}
