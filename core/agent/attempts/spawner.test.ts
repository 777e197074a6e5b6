import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyText } from "../attempt-key.ts";
import { forkAgent, killHard, lives, openTestAttempts, orderOf, script, testFolder } from "./testing.ts";

/** The child of an agent's process that runs spawner.ts. */
function spawnerPid(agent = process.pid): number {
  const found = readdirSync("/proc").filter((pid) => {
    try {
      const parent = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ")[1];
      return Number(parent) === agent && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("spawner.ts");
    } catch {
      return false;
    }
  });
  return Math.max(...found.map(Number));
}

test("after kill -9 of the spawner bodies run on and are watched, and new ones start", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("while ! [ -e go ]; do sleep 0.05; done; exit 5"));
  await attempts.start(order);
  const before = spawnerPid();
  process.kill(before, "SIGKILL");
  await expect.poll(() => lives(before)).toBe(false);
  const next = orderOf(script("exit 6"));
  await expect.poll(() => spawnerPid()).not.toBe(before);
  expect(await attempts.run(next)).toMatchObject({ exitCode: 6 });
  writeFileSync(join(attempts.folder, "attempts", keyText(order), "work/go"), "");
  expect(await attempts.ended(order)).toMatchObject({ outcome: "failed", exitCode: 5 });
});

test("a spawner killed among many starts leaves every attempt begun once, or lost without a start", async () => {
  const attempts = await openTestAttempts();
  const orders = Array.from({ length: 60 }, () => orderOf(script("echo begun; exit 7")));
  const all = Promise.all(orders.map((order) => attempts.run(order)));
  await expect.poll(() => attempts.endings.size, { interval: 1 }).toBeGreaterThan(3);
  process.kill(spawnerPid(), "SIGKILL");
  const endings = await all;
  for (const [at, { outcome, startedAt }] of endings.entries()) {
    const written = outcome === "lost" && !startedAt ? "" : "begun\n";
    const out = join(attempts.folder, "attempts", keyText(orders[at]!), "out");
    expect(readIfThere(out)).toBe(written);
  }
});

test("300 attempts at once all end, each with its own exit code", async () => {
  const attempts = await openTestAttempts();
  const orders = Array.from({ length: 300 }, (_, at) =>
    orderOf(script(`while ! [ -e ../../../go ]; do sleep 0.5; done; exit ${at % 100}`)),
  );
  await Promise.all(orders.map((order) => attempts.start(order)));
  expect([attempts.held().length, attempts.freeSlots()]).toEqual([300, 100]);
  writeFileSync(join(attempts.folder, "go"), "");
  const endings = await Promise.all(orders.map((order) => attempts.ended(order)));
  expect(endings.map(({ exitCode }) => exitCode)).toEqual(orders.map((_, at) => at % 100));
  for (const order of orders) {
    attempts.forget(order);
    attempts.shipped(order);
  }
  await expect.poll(() => readdirSync(join(attempts.folder, "attempts"))).toEqual([]);

  // Some of their folders serve again, with nothing of theirs in them.
  const spares = () => readdirSync(join(attempts.folder, "attempts-spare")).length;
  expect(spares()).toBe(32);
  const next = orderOf(script("ls -A .."));
  await attempts.start(next);
  await attempts.ended(next);
  expect([attempts.read(next, "out"), spares()]).toEqual(["err\nout\nrecord\nwork\n", 31]);
});

test("100 that are stopped at once all end, with what they left in sessions of their own", async () => {
  const attempts = await openTestAttempts();
  const orders = Array.from({ length: 100 }, () =>
    orderOf(script("setsid sleep 300 & echo $!; wait; sleep 300")),
  );
  await Promise.all(orders.map((order) => attempts.start(order)));
  const pids = () => orders.map((order) => Number(attempts.read(order, "out")));
  await expect.poll(() => Math.min(...pids())).toBeGreaterThan(0);
  for (const order of orders) attempts.stop(order, 20_000, "ada cancelled it");
  const endings = await Promise.all(orders.map((order) => attempts.ended(order)));
  expect(new Set(endings.map(({ outcome }) => outcome))).toEqual(new Set(["cancelled"]));
  expect(pids().filter(lives)).toEqual([]);
});

test("a spawner goes with its agent", async () => {
  const agent = await forkAgent(testFolder());
  const spawner = spawnerPid(agent.pid);
  await killHard(agent);
  await expect.poll(() => lives(spawner)).toBe(false);
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
