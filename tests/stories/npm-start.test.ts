import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { withLock } from "../../tools/setup-lock.mjs";
import { setUp } from "../harness/api.ts";
import { type Bench, openBench } from "../harness/bench.ts";
import { getPage } from "../harness/get-page.ts";
import { bareEnvironment, endPid, root, run, signalPid } from "../harness/processes.ts";
import { freePort } from "../harness/replicas.ts";
import { embeddedPid } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** The machine's own Node, as a new user has it; where none is 20 or later, the one that runs this. */
const ownNode = ["/usr/bin/node", "/usr/local/bin/node"].find(isTwentyOrLater) ?? process.execPath;
const environment = { ...bareEnvironment, PATH: `${dirname(ownNode)}:${bareEnvironment.PATH}` };

test("`npm start` under the machine's own Node serves at once and builds the console meanwhile: who opens it waits, and gets it", async () => {
  const bench = openBench(onTestFinished);
  const clone = copyOfClone(bench);
  const release = await holdConsole(clone);
  const { running, url } = await npmStart(bench, clone);
  expect(await setUp(url, /^ {2}(\S+\/setup#\S+)$/m.exec(running.stdout())?.[1])).toHaveProperty("token");

  const page = getPage(url);
  expect(await Promise.race([page, sleep(500, "not yet")])).toBe("not yet");
  expect(existsSync(join(clone, ".cache", "console"))).toBe(false);
  release();
  expect(await page).toMatchObject({ status: 200, text: expect.stringContaining('<script type="module"') });

  running.kill("SIGTERM");
  expect(await running.ended).toEqual({ code: 0, signal: null });
  expect(embeddedPid(join(clone, ".reeve"))).toBeUndefined();
});

test("a server that stops while the console is being built takes the building with it", async () => {
  const bench = openBench(onTestFinished);
  const clone = copyOfClone(bench);
  await holdConsole(clone);
  const { running } = await npmStart(bench, clone);
  const builders = () => processesIn(clone).filter(({ command }) => command.includes("tools/console.ts"));
  expect(builders()).toHaveLength(1);
  running.kill("SIGTERM");
  expect(await running.ended).toEqual({ code: 0, signal: null });
  await until("the builder to be gone", () => builders().length === 0);
});

test("`npx reeve` works under the machine's own Node", () => {
  const options = { cwd: root, env: environment, encoding: "utf8" } as const;
  expect(execFileSync("npx", ["reeve", "--version"], options)).toMatch(/^reeve \d+\.\d+\.\d+\n$/);
});

function isTwentyOrLater(file: string): boolean {
  return existsSync(file) && Number(execFileSync(file, ["-p", "process.versions.node.split('.')[0]"])) >= 20;
}

/** As git would bring it, installed, and never started before. */
function copyOfClone(bench: Bench): string {
  const clone = join(bench.folder(), "reeve");
  const left = ["node_modules", ".git", ".cache", ".reeve"].map((name) => join(root, name));
  cpSync(root, clone, { recursive: true, filter: (path) => !left.includes(path) });
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  return clone;
}

/** Nobody builds the console until what is returned is called. */
async function holdConsole(clone: string): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  const freed = Promise.withResolvers<void>();
  void withLock(join(clone, ".cache", "console.lock"), () => {
    held.resolve();
    return freed.promise;
  });
  await held.promise;
  return freed.resolve;
}

async function npmStart(bench: Bench, clone: string) {
  const env = {
    ...environment,
    REEVE_LISTEN: `127.0.0.1:${await freePort()}`,
    REEVE_AGENT_LISTEN: "127.0.0.1:0",
    REEVE_HOME_AGENT: "off",
  };
  const running = run(ownNode, ["tools/with-setup.mjs", "start"], { cwd: clone, env });
  bench.keep({
    killNow: () => running.kill("SIGTERM"),
    async end() {
      running.kill("SIGTERM");
      await Promise.race([running.ended, sleep(30_000)]);
      for (const { pid } of processesIn(clone)) signalPid(pid, "SIGKILL");
      const postgres = embeddedPid(join(clone, ".reeve"));
      if (postgres !== undefined) await endPid(postgres, "SIGQUIT");
    },
  });
  const ready = () => /^Reeve is ready at (\S+)$/m.exec(running.stdout())?.[1];
  await until("the ready line", () => ready() !== undefined || running.hasEnded(), 150_000);
  const url = ready();
  if (url === undefined) throw new Error(`it did not start: ${running.stdout()}${running.stderr()}`);
  return { running, url };
}

/** What runs with this folder as its own. */
function processesIn(folder: string): { pid: number; command: string }[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== folder) return [];
      return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, "utf8") }];
    } catch {
      // It is gone, or somebody else's.
      return [];
    }
  });
}
