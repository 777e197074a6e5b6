import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { getPage } from "../harness/get-page.ts";
import { bareEnvironment, type Running, root, run } from "../harness/processes.ts";
import { freePort } from "../harness/replicas.ts";
import { until } from "../harness/until.ts";
import type { Bench } from "./measure/bench.ts";
import type { Premises } from "./measure/premises.ts";
import { say } from "./measure/progress.ts";
import { runStaged } from "./measure/staged.ts";
import { type Figure, figure, seconds, under } from "./runs/figures.ts";

/** `npm start` in a fresh clone of what is committed, on the machine's own Node and npm, as a new user has them. */
export const start: Bench = {
  summary: "npm start in a fresh clone: from the end of the install to the first answer; a second start",
  minutes: 15,
  quickMinutes: 15,
  stages: [],
  run: (premises, options) =>
    runStaged(premises, options, {
      bench: "start",
      title: "Start benchmark",
      stages: [{ name: "clone", title: "npm start in a fresh clone", measure: measureStarts }],
      open: async (opened) => opened,
      beside: async () => `the machine's own Node is ${ownNode()}`,
    }),
};

const patienceMs = 600_000;
const secondStarts = 5;

function ownNode(): string {
  return execFileSync("node", ["--version"], { env: bareEnvironment, encoding: "utf8" }).trim();
}

async function measureStarts(premises: Premises): Promise<Figure[]> {
  const folder = premises.folder();
  const clone = join(folder, "reeve");
  execFileSync("git", ["clone", "--quiet", root, clone]);
  const [port, agentPort] = [await freePort(), await freePort()];
  const env = {
    ...bareEnvironment,
    HOME: folder,
    REEVE_LISTEN: `127.0.0.1:${port}`,
    REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}`,
  };
  const begin = () => {
    const running = run("npm", ["start"], { cwd: clone, env });
    premises.lastly(() => running.kill("SIGTERM"));
    return running;
  };
  const url = `http://127.0.0.1:${port}`;

  say("the first start, which installs");
  const first = begin();
  await said(first, /^added \d+ packages/m);
  const installedAt = performance.now();
  await said(first, /^Reeve is ready/m);
  await answered(`${url}/readyz`);
  const answeredAt = performance.now();
  await answered(`${url}/`);
  const shownAt = performance.now();
  await stop(first);

  const again: number[] = [];
  for (let turn = 0; turn < secondStarts; turn++) {
    say(`another start, ${turn + 1} of ${secondStarts}`);
    const begunAt = performance.now();
    const running = begin();
    await said(running, /^Reeve is ready/m);
    await answered(`${url}/readyz`);
    again.push((performance.now() - begunAt) / 1000);
    await stop(running);
  }
  const middle = again.toSorted((a, b) => a - b)[secondStarts >> 1] ?? Number.NaN;
  const firstSeconds = (answeredAt - installedAt) / 1000;
  return [
    figure("end of npm ci to the first answer", firstSeconds, seconds, { bar: under(firstSeconds, 10, "s") }),
    figure("end of npm ci to the console", (shownAt - installedAt) / 1000, seconds),
    figure("a second start, to its first answer", middle, seconds, {
      bar: under(middle, 3, "s"),
      detail: again,
    }),
  ];
}

async function said(running: Running, words: RegExp): Promise<void> {
  const is = () => words.test(running.stdout()) || words.test(running.stderr());
  await until(String(words), () => is() || running.hasEnded(), patienceMs);
  if (!is()) throw new Error(`npm start ended: ${running.stdout()}${running.stderr()}`);
}

async function answered(url: string): Promise<void> {
  const { status } = await getPage(url);
  if (status !== 200) throw new Error(`${url} answered ${status}`);
}

async function stop(running: Running): Promise<void> {
  running.kill("SIGTERM");
  await running.ended;
}
