import type { ChildProcess } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keyText } from "../attempt-key.ts";
import type { StartOrder } from "./attempts.ts";
import { layoutOf, openRoots } from "./layout.ts";
import {
  commandLines,
  forkAgent,
  keepLease,
  killHard,
  lives,
  openTestAttempts,
  orderOf,
  pidIn,
  script,
  startIn,
  testFolder,
} from "./testing.ts";

/** Ends by nothing but SIGKILL, has a child in a session of its own, and ticks. */
const stubborn = script(`trap '' TERM HUP INT
echo $$ > body
setsid sh -c 'echo $$ > escaped; trap "" TERM; while :; do sleep 0.1; done' &
while :; do echo tick; sleep 0.1; done`);
const exclusive = { exclusive: true };

/** The numbers of the body and of its escaped child, once both are there. */
async function pidsOf(folder: string, order: StartOrder): Promise<number[]> {
  const { work } = layoutOf(openRoots(folder), keyText(order));
  const pids = () => ["body", "escaped"].map((name) => pidIn(join(work, name)));
  await expect.poll(() => pids().every((pid) => pid > 0)).toBe(true);
  return pids();
}

function stopAll(agent: ChildProcess): void {
  const children = readFileSync(`/proc/${agent.pid}/task/${agent.pid}/children`, "utf8");
  const spawner = Number(children.trim());
  onTestFinished(() => void process.kill(spawner, "SIGKILL"));
  process.kill(spawner, "SIGSTOP");
  agent.kill("SIGSTOP");
}

test("an exclusive body ends with the lease when agent and spawner are stopped; others run on", async () => {
  const folder = testFolder();
  const agent = await forkAgent(folder, 8000);
  const alone = orderOf(stubborn, exclusive);
  const other = orderOf(stubborn);
  await startIn(agent, alone);
  await startIn(agent, other);
  const bodies = await pidsOf(folder, alone);
  const others = await pidsOf(folder, other);
  stopAll(agent);
  await expect.poll(() => bodies.filter(lives)).toEqual([]);
  expect(others.filter(lives)).toEqual(others);

  await killHard(agent);
  const attempts = await openTestAttempts(folder);
  expect(await attempts.ended(alone)).toMatchObject({
    outcome: "lost",
    why: expect.stringMatching(/its guard stopped it/),
  });
  attempts.stop(other, 0, "the test is over");
  await attempts.ended(other);
});

test("an exclusive body ends with the lease after kill -9 of the agent, and not before", async () => {
  const folder = testFolder();
  const agent = await forkAgent(folder, 6000);
  const order = orderOf(stubborn, exclusive);
  await startIn(agent, order);
  await killHard(agent);
  const bodies = await pidsOf(folder, order);
  // A beat that was heard: the guard must have looked past the first lease by the time it ends.
  keepLease(folder, 11_000);
  const { out } = layoutOf(openRoots(folder), keyText(order));
  await expect.poll(() => readFileSync(out, "utf8").length).toBeGreaterThan(5 * 40);
  expect(bodies.filter(lives)).toEqual(bodies);
  await expect.poll(() => bodies.filter(lives)).toEqual([]);
});

test("a lease that goes on lets an exclusive body live, and its end ends the guard", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("sleep 1.5; echo done"), exclusive);
  expect(await attempts.run(order)).toMatchObject({ outcome: "succeeded" });
  const guards = () => [...commandLines().values()].some((line) => line.includes(attempts.leaseFile));
  await expect.poll(guards).toBe(false);
});

test("a variable that the shell does not take keeps neither the others from the body nor the guard from it", async () => {
  const attempts = await openTestAttempts();
  const echo = script("echo $LATER $REEVE_STEP; trap '' TERM; while :; do sleep 0.1; done");
  // dash takes only a number for the one, bash keeps the other for itself.
  const order = orderOf({ ...echo, env: { OPTIND: "x", UID: "1", LATER: "later" } }, exclusive);
  await attempts.start(order);
  await expect.poll(() => attempts.read(order, "out")).toBe(`later ${order.step}\n`);
  // Not before: a guard that finds no lease may end its body before the body's first line.
  rmSync(attempts.leaseFile);
  expect(await attempts.ended(order)).toMatchObject({
    outcome: "lost",
    why: expect.stringMatching(/guard/),
  });
});

test("a guard that finds no lease ends its body", async () => {
  const attempts = await openTestAttempts();
  rmSync(attempts.leaseFile);
  const order = orderOf(stubborn, exclusive);
  expect(await attempts.run(order)).toMatchObject({ outcome: "lost", why: expect.stringMatching(/guard/) });
});
