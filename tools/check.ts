/**
 * `npm run check`: everything that can be known in under a minute. Silent about what is well; the output of what
 * is not; a table at the end. `--no-tests` leaves the fast tests to `npm test`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";

interface Check {
  name: string;
  args: readonly string[];
}

/** All are JavaScript, so all run under the Node that runs this. The long ones first, for two cores. */
const CHECKS: readonly Check[] = [
  { name: "fast tests", args: ["tools/test.ts", "fast"] },
  { name: "types", args: ["node_modules/.bin/tsc"] },
  { name: "browser types", args: ["node_modules/.bin/tsc", "-p", "tsconfig.browser.json"] },
  { name: "dead code", args: ["node_modules/.bin/knip", "--no-progress", "--no-config-hints"] },
  { name: "generated files", args: ["tools/generate.ts", "--check"] },
  { name: "format and lint", args: ["node_modules/.bin/biome", "check", "--error-on-warnings", "."] },
  { name: "rooms", args: ["tools/rooms.ts"] },
  { name: "lockfile", args: ["tools/lockfile.ts", "--check"] },
];
const AT_ONCE = 2;

interface Result {
  name: string;
  code: number;
  seconds: number;
}

const running = new Set<ChildProcess>();

async function main(args: readonly string[]) {
  const chosen = CHECKS.filter(({ name }) => !(args.includes("--no-tests") && name === "fast tests"));
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    while (next < chosen.length) {
      const at = next++;
      results[at] = await run(chosen[at]!);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));

  for (const { name, code, seconds } of results) {
    const verdict = code === 0 ? "ok" : "FAILED";
    console.log(`${verdict.padEnd(7)} ${name.padEnd(16)} ${seconds.toFixed(1).padStart(5)} s`);
  }
  process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;
}

function run({ name, args }: Check): Promise<Result> {
  const startedAt = performance.now();
  const output: Buffer[] = [];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.stdout.on("data", (chunk) => output.push(chunk));
  child.stderr.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      running.delete(child);
      const said = Buffer.concat(output).toString().trim();
      if (code !== 0) console.log(`--- ${name}: node ${args.join(" ")}\n${said}\n`);
      resolve({ name, code: code ?? 1, seconds: (performance.now() - startedAt) / 1000 });
    });
  });
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  });
}

await main(process.argv.slice(2));
