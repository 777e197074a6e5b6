import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keyText } from "../attempt-key.ts";
import type { StartOrder } from "./attempts.ts";
import { layoutOf, openRoots } from "./layout.ts";
import { readRecord } from "./record.ts";
import {
  forkAgent,
  killHard,
  lives,
  openTestAttempts,
  orderOf,
  pidIn,
  script,
  startIn,
  testFolder,
} from "./testing.ts";

const until = (file: string) =>
  `echo begun >> begun; while ! [ -e ${file} ]; do sleep 0.05; done; echo ended; exit 4`;

function partsOf(folder: string, order: StartOrder) {
  return layoutOf(openRoots(folder), keyText(order));
}

/** Its shim has marked the start: one that has not when the agent dies is kept from it. */
async function beginIn(agent: ChildProcess, folder: string, order: StartOrder): Promise<void> {
  await startIn(agent, order);
  await expect.poll(() => readRecord(partsOf(folder, order).record)).toBeTruthy();
}

test("after kill -9 of the agent a body runs on, and the next agent takes it back with what to hide", async () => {
  const folder = testFolder();
  const order = orderOf(script(until("go")), { exclusive: true, hide: ["hush"], finishMs: 60_000 });
  const agent = await forkAgent(folder);
  await beginIn(agent, folder, order);
  await killHard(agent);

  const attempts = await openTestAttempts(folder);
  expect(attempts.held()).toMatchObject([{ key: { run: order.run }, exclusive: true, ended: false }]);
  expect(attempts.output(order)).toMatchObject({ ended: false, hide: ["hush"] });
  expect(attempts.freeSlots()).toBe(399);
  writeFileSync(join(partsOf(folder, order).work, "go"), "");
  expect(await attempts.ended(order)).toMatchObject({ outcome: "failed", exitCode: 4, why: "exit code 4" });
  expect(attempts.read(order, "out")).toBe("ended\n");
  expect(attempts.read(order, "work/begun")).toBe("begun\n");
});

test("a body that was held back when the agent died goes on with the next one", async () => {
  const folder = testFolder();
  const order = orderOf(script(until("go")));
  const agent = await forkAgent(folder);
  await beginIn(agent, folder, order);
  const { work, record } = partsOf(folder, order);
  await expect.poll(() => existsSync(join(work, "begun"))).toBe(true);
  process.kill(-readRecord(record)!.pid, "SIGSTOP");
  await killHard(agent);
  writeFileSync(join(work, "go"), "");

  const attempts = await openTestAttempts(folder);
  expect(await attempts.ended(order)).toMatchObject({ exitCode: 4 });
});

test("a body that ended while no agent was there is found by its record", async () => {
  const folder = testFolder();
  const order = orderOf(script("while ! [ -e go ]; do sleep 0.05; done; echo n=1 > $REEVE_OUTPUTS"));
  const agent = await forkAgent(folder);
  await beginIn(agent, folder, order);
  await killHard(agent);
  const { work, record } = partsOf(folder, order);
  writeFileSync(join(work, "go"), "");
  await expect.poll(() => readRecord(record)?.exit?.code).toBe(0);

  const attempts = await openTestAttempts(folder);
  expect(await attempts.ended(order)).toMatchObject({ outcome: "succeeded", outputs: { n: "1" } });
  expect(attempts.held()).toMatchObject([{ ended: true }]);
});

test("a stop goes on after a restart of the agent, and timeouts count from the start", async () => {
  const folder = testFolder();
  const stopped = orderOf(script("trap '' TERM; echo ready; while :; do sleep 0.05; done"));
  const slow = orderOf(script("sleep 300"), { finishMs: 1000 });
  const agent = await forkAgent(folder);
  await beginIn(agent, folder, stopped);
  await beginIn(agent, folder, slow);
  await expect.poll(() => readFileSync(partsOf(folder, stopped).out, "utf8")).toBe("ready\n");
  await killHard(agent);
  writeFileSync(
    partsOf(folder, stopped).stop,
    JSON.stringify({ outcome: "cancelled", why: "ada cancelled it" }),
  );

  const attempts = await openTestAttempts(folder);
  attempts.stop(stopped, 100, "a second reason");
  expect(await attempts.ended(stopped)).toMatchObject({
    outcome: "cancelled",
    why: expect.stringMatching(/^ada cancelled it/),
  });
  expect(await attempts.ended(slow)).toMatchObject({ outcome: "failed", why: "ran longer than 1s" });
});

test("a clock that was set while no agent was there ends nothing", async () => {
  const folder = testFolder();
  const order = orderOf(script(until("go")), { finishMs: 600_000 });
  const slow = orderOf(script("sleep 300"), { finishMs: 500 });
  const agent = await forkAgent(folder);
  await beginIn(agent, folder, order);
  await beginIn(agent, folder, slow);
  await killHard(agent);
  const { record, work } = partsOf(folder, order);
  const startedMs = String(readRecord(record)?.startedAt.getTime());
  const text = readFileSync(record, "latin1");
  // As if the clock had been put forward by an hour since.
  writeFileSync(record, text.replace(startedMs, String(Number(startedMs) - 3_600_000)), { flag: "r+" });

  const attempts = await openTestAttempts(folder);
  // Whoever ends this one has looked at both.
  await attempts.ended(slow);
  const held = attempts.held().find(({ key }) => key.run === order.run && key.seq === order.seq);
  expect(held).toMatchObject({ ended: false });
  writeFileSync(join(work, "go"), "");
  expect(await attempts.ended(order)).toMatchObject({ exitCode: 4 });
});

test("after a restart of the host what ran is lost, what had ended is not, and hidden texts are unknown", async () => {
  const folder = testFolder();
  const ran = orderOf(script("sleep 300"), { hide: ["hush"] });
  const ended = orderOf(script("true"), { hide: ["hush"] });
  const told = orderOf(script("echo a=hush > $REEVE_OUTPUTS"), { hide: ["hush"] });
  const plain = orderOf(script("echo a=hush > $REEVE_OUTPUTS"));
  const agent = await forkAgent(folder);
  for (const order of [ran, ended, told, plain]) await beginIn(agent, folder, order);
  for (const order of [ended, told, plain])
    await expect.poll(() => readRecord(partsOf(folder, order).record)?.exit).toBeTruthy();
  await killHard(agent);
  const { record } = partsOf(folder, ran);
  const { pid, boot } = readRecord(record)!;
  writeFileSync(record, readFileSync(record, "latin1").replace(boot, "another-boot"));
  process.kill(-pid, "SIGKILL");
  for (const order of [ran, ended, told, plain]) rmSync(partsOf(folder, order).files, { recursive: true });

  const attempts = await openTestAttempts(folder);
  expect(await attempts.ended(ran)).toMatchObject({
    outcome: "lost",
    why: "the host was restarted while it ran",
  });
  expect(await attempts.ended(ended)).toMatchObject({ outcome: "succeeded" });
  const unknown = await attempts.ended(told);
  expect(unknown).toMatchObject({ outcome: "failed", why: expect.stringContaining("what to hide in them") });
  expect(unknown.outputs).toBe(undefined);
  expect((await attempts.ended(plain)).outputs).toEqual({ a: "hush" });
  expect(attempts.output(ended)?.hide).toBe(undefined);
  expect(attempts.output(plain)?.hide).toEqual([]);
});

test("another process with the shim's number is not taken for it, and not harmed", async () => {
  const folder = testFolder();
  // Before the agent, which takes a while to be there: two that begin in one hundredth of a second look alike.
  const stranger = spawn("/bin/sleep", ["300"], { detached: true });
  onTestFinished(() => void stranger.kill());
  const order = orderOf(script("sleep 300"));
  const agent = await forkAgent(folder);
  await beginIn(agent, folder, order);
  const { record } = partsOf(folder, order);
  const { pid } = readRecord(record)!;
  writeFileSync(record, readFileSync(record, "latin1").replace(` ${pid} (`, ` ${stranger.pid} (`));
  await killHard(agent);

  const attempts = await openTestAttempts(folder);
  attempts.stop(order, 0, "fenced");
  // What is left of it is ended by its mark; whether its shim still told so in time is a race.
  expect(["its processes were gone when the agent came back", "fenced"]).toContain(
    (await attempts.ended(order)).why,
  );
  await expect.poll(() => lives(pid)).toBe(false);
  expect(lives(stranger.pid!)).toBe(true);
});

test("one whose body had not begun never will, and is lost without a start", async () => {
  const folder = testFolder();
  const order = orderOf(script("true"));
  const parts = partsOf(folder, order);
  mkdirSync(parts.folder);
  const attempts = await openTestAttempts(folder);
  const ending = await attempts.ended(order);
  expect(ending).toMatchObject({ outcome: "lost", why: expect.stringMatching(/before the body began/) });
  expect(ending.startedAt).toBe(undefined);
  expect(existsSync(parts.record)).toBe(true);
  attempts.forget(order);
  attempts.shipped(order);
  await expect.poll(() => existsSync(parts.folder)).toBe(false);
});

test("a shim that is killed ends its attempt, and nothing of the body is left", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("echo $$ > pid; sleep 300; true"));
  await attempts.start(order);
  const parts = partsOf(attempts.folder, order);
  await expect.poll(() => pidIn(join(parts.work, "pid"))).toBeGreaterThan(0);
  process.kill(readRecord(parts.record)!.pid, "SIGKILL");
  expect(await attempts.ended(order)).toMatchObject({
    outcome: "failed",
    signal: "SIGKILL",
    why: expect.stringMatching(/shim/),
  });
  expect(lives(pidIn(join(parts.work, "pid")))).toBe(false);
});

test("a record in the form of older agents is read: its shim began with its attempt", () => {
  const file = join(testFolder(), "record");
  const stat = `12 (sh) S ${"0 ".repeat(18)}777 0`;
  const read = (about: string) => {
    writeFileSync(file, `${" ".repeat(255)}\n${about} ${stat}\n`);
    return readRecord(file);
  };
  expect(read("boot 5 0")).toMatchObject({ pid: 12, pidStart: "777", begunMs: 7770 });
  expect(read("boot 5 0 9000")).toMatchObject({ pid: 12, pidStart: "777", begunMs: 9000 });
});
