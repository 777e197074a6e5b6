import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyText } from "../attempt-key.ts";
import { openTestAttempts, orderOf, pidIn, script } from "./testing.ts";

/** Only builtins: a shell that is held back while it starts a program waits for that one (D) instead of standing still itself (T). */
const waits = 'trap "echo asked; exit 5" TERM; echo $$ > pid; while ! [ -e go ]; do :; done';

async function begun(more: Parameters<typeof orderOf>[1] = {}) {
  const attempts = await openTestAttempts();
  const order = orderOf(script(waits), more);
  await attempts.start(order);
  const file = join(attempts.folder, "attempts", keyText(order), "work", "pid");
  await expect.poll(() => pidIn(file)).toBeGreaterThan(0);
  const pid = pidIn(file);
  // As soon as the kernel lets it run at all.
  const untilHeld = (held: boolean) =>
    expect
      .poll(() => /\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8")), { timeout: 60_000 })
      .toBe(held);
  return { attempts, order, untilHeld };
}

test("a body that is held back stands still until it may go on", async () => {
  const { attempts, order, untilHeld } = await begun();
  attempts.hold(order, true);
  await untilHeld(true);
  attempts.hold(order, false);
  await untilHeld(false);
});

test("a body that is held back is asked to end like any other", async () => {
  const { attempts, order, untilHeld } = await begun();
  attempts.hold(order, true);
  await untilHeld(true);
  attempts.stop(order, 60_000, "cancelled by ada");
  expect(await attempts.ended(order)).toMatchObject({ outcome: "cancelled", why: "cancelled by ada" });
  expect(attempts.read(order, "out")).toBe("asked\n");
});

test("an exclusive body is not held back: its guard would be, too", async () => {
  const { attempts, order } = await begun({ exclusive: true });
  attempts.hold(order, true);
  writeFileSync(join(attempts.folder, "attempts", keyText(order), "work", "go"), "");
  expect(await attempts.ended(order)).toMatchObject({ outcome: "succeeded" });
});
