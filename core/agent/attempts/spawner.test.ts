import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyText } from "../attempt-key.ts";
import { steadyNow } from "../clock.ts";
import { readRecord } from "./record.ts";
import { forkAgent, killHard, lives, openTestAttempts, orderOf, script, testFolder } from "./testing.ts";

/** The newest child of a process with this in its command line; below 0 when there is none. */
function childOf(parent: number, name: string): number {
  const found = readdirSync("/proc").filter((pid) => {
    try {
      const its = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ")[1];
      return Number(its) === parent && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(name);
    } catch {
      return false;
    }
  });
  return Math.max(...found.map(Number));
}

/** Texts that a shell might read as something else. */
const odd = [
  "it's",
  "",
  " two  words ",
  "a\nb\n",
  '"$HOME" `id` $(id) \\ \\n ~ * #',
  "-n",
  // Letters whose second byte means something to a shell itself.
  Array.from({ length: 256 }, (_, at) => String.fromCharCode(at + 128)).join(""),
  "日本 🙂",
];

const spawnerPid = (agent = process.pid) => childOf(agent, "spawner.ts");

/** The shim that was started ahead of the next attempt; nothing else runs. */
async function waitingShim(spawner: number): Promise<number> {
  await expect.poll(() => childOf(spawner, "shim.sh")).toBeGreaterThan(0);
  return childOf(spawner, "shim.sh");
}

test("after kill -9 of the spawner bodies run on and are watched, and new ones start", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("while ! [ -e go ]; do sleep 0.05; done; exit 5"));
  await attempts.start(order);
  // One whose shim has not marked the start when its spawner dies is kept from it.
  const record = join(attempts.folder, "attempts", keyText(order), "record");
  await expect.poll(() => readRecord(record)).toBeTruthy();
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

/** All that a process gets from its parent. */
const seen = `env | sort; pwd; umask; ulimit -a; ls /proc/$$/fd; readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2
  grep -E 'SigBlk|SigIgn|Cap|Umask' /proc/self/status; cat /proc/$$/oom_score_adj /proc/$$/cmdline`;

test("a body under a shim that waited sees the same as one under a shim of its own", async () => {
  const attempts = await openTestAttempts();
  const argv = ["/bin/sh", "-c", `printf '|%s|' "$@"; ${seen}`, "sh", ...odd];
  const body = { argv, env: { ODD: odd.join(" "), CASE: "$(id) `id` ~ * \\" }, umask: 0o027 };
  const [cold, warm] = [orderOf(body), orderOf(body)];
  expect(await attempts.run(cold)).toMatchObject({ outcome: "succeeded" });
  const waiting = await waitingShim(spawnerPid());
  const before = Math.round(steadyNow());
  expect(await attempts.run(warm)).toMatchObject({ outcome: "succeeded" });
  const [ofCold, ofWarm] = [cold, warm].map((one) => attempts.read(one, "out").replaceAll(one.run, "run"));
  expect(ofWarm).toBe(ofCold);
  for (const text of odd) expect(ofWarm).toContain(`|${text}|`);

  // Its time began when it was told, not when its shim began to wait.
  const record = readRecord(join(attempts.folder, "attempts", keyText(warm), "record"))!;
  expect(record.pid).toBe(waiting);
  expect(record.begunMs).toBeGreaterThanOrEqual(before);
});

test("a shim that waits is no attempt, and goes with its spawner", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("true"));
  await attempts.run(order);
  attempts.forget(order);
  const spawner = spawnerPid();
  const waiting = await waitingShim(spawner);
  expect([attempts.held(), attempts.freeSlots()]).toEqual([[], 400]);
  process.kill(spawner, "SIGKILL");
  await expect.poll(() => lives(waiting)).toBe(false);
  // Until the agent knows of it, too.
  await expect.poll(() => spawnerPid()).not.toBe(spawner);
  await expect.poll(() => spawnerPid()).toBeGreaterThan(0);
});

test("a shim that is killed while it waits keeps no attempt from its start", async () => {
  const attempts = await openTestAttempts();
  await attempts.run(orderOf(script("true")));
  const spawner = spawnerPid();
  const waiting = await waitingShim(spawner);
  process.kill(waiting, "SIGKILL");
  // Until it has been waited for, so that the spawner knows.
  await expect.poll(() => existsSync(`/proc/${waiting}`)).toBe(false);
  expect(await attempts.run(orderOf(script("exit 8")))).toMatchObject({ exitCode: 8 });
});

test("a command or a variable that the kernel would not take is refused, for good", async () => {
  const attempts = await openTestAttempts();
  const why = "the command and its environment are too large for this host";
  const long = "x".repeat(128 * 1024);
  expect(await attempts.run(orderOf({ ...script("true"), env: { LONG: long } }))).toMatchObject({
    ...{ outcome: "failed", final: true, why },
  });
  const many = Array.from({ length: 33 }, () => long.slice(0, 65_536));
  expect(await attempts.run(orderOf({ argv: ["/bin/true", ...many] }))).toMatchObject({ final: true, why });
  const fits = orderOf({ ...script("echo ${#LONG}"), env: { LONG: long.slice("LONG=".length + 1) } });
  await attempts.run(fits);
  expect(attempts.read(fits, "out")).toBe("131066\n");
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
