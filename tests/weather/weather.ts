/**
 * `npm run weather -- --minutes 20 --seed 123`: runs and agents in bad weather for longer than CI has time for. The same seed brings
 * the same faults again.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../harness/processes.ts";

const { values } = parseArgs({ options: { minutes: { type: "string" }, seed: { type: "string" } } });
const minutes = Number(values.minutes ?? 20);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!(minutes > 0) || !Number.isInteger(seed))
  throw new Error("say it as npm run weather -- --minutes 20 --seed 123");
process.stdout.write(`seed ${seed}; to repeat: npm run weather -- --minutes ${minutes} --seed ${seed}\n`);

const test = spawn(process.execPath, [join(root, "tools", "test.ts"), "weather", "runs-"], {
  cwd: root,
  env: { ...process.env, WEATHER_MINUTES: String(minutes), WEATHER_SEED: String(seed) },
  stdio: "inherit",
});
test.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
