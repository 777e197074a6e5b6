import { join } from "node:path";
import { expect, test } from "vitest";
import { keyText } from "../attempt-key.ts";
import { closeGroups, openGroups } from "./groups.ts";
import { layoutOf, openRoots } from "./layout.ts";
import { lives, openTestAttempts, orderOf, pidIn, script } from "./testing.ts";

const groups = openGroups(`reeve-test-${process.pid}`);
closeGroups(groups);
const MB = 1024 * 1024;

test("a body over its memory is ended by the kernel, and the reason says so; or the limit is refused", async () => {
  const attempts = await openTestAttempts();
  const greedy = script("x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo done");
  const ending = await attempts.run(orderOf({ ...greedy, memoryBytes: 32 * MB }));
  if (groups.memory)
    expect(ending).toMatchObject({ why: "ran out of memory: its limit is 32 MiB", final: false });
  else
    expect(ending).toMatchObject({
      why: expect.stringMatching(/^memory cannot be kept on this host/),
      final: true,
    });
  expect(ending.outcome).toBe("failed");
});

test("a body within its limits succeeds, and whoever it left in a session of its own ends with it; or it is refused", async () => {
  const attempts = await openTestAttempts();
  const leaving = script("setsid sleep 300 & echo $! > pid; sleep 0.1");
  const order = orderOf({ ...leaving, memoryBytes: 64 * MB, cpus: 0.5 });
  const ending = await attempts.run(order);
  if (!groups.memory || !groups.cpu) return expect(ending).toMatchObject({ outcome: "failed", final: true });
  expect(ending).toMatchObject({ outcome: "succeeded" });
  const { work } = layoutOf(openRoots(attempts.folder), keyText(order));
  expect(lives(pidIn(join(work, "pid")))).toBe(false);
});
