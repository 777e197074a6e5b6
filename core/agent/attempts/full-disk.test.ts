import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../tools/components.ts";
import { keyText } from "../attempt-key.ts";
import { readRecord } from "./record.ts";
import { openTestAttempts, orderOf, script } from "./testing.ts";

describe("on a disk of 256 KB", needs("rootMount"), () => {
  function smallDisk(): string {
    const folder = mkdtempSync(join(tmpdir(), "reeve-small-"));
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=256k,mode=711", "tmpfs", folder]);
    onTestFinished(() => {
      execFileSync("/bin/umount", ["-l", folder]);
      rmdirSync(folder);
    });
    return folder;
  }

  function fill(folder: string): void {
    for (let bytes = 65_536; bytes >= 1; bytes = Math.floor(bytes / 2)) {
      for (;;) {
        try {
          writeFileSync(join(folder, "filling"), "x".repeat(bytes), { flag: "a" });
        } catch {
          break;
        }
      }
    }
  }

  test("an exit is recorded though the body has filled the disk", async () => {
    const attempts = await openTestAttempts(smallDisk());
    const order = orderOf(script("cat /dev/zero > fill; echo this has no room; exit 9"));
    expect(await attempts.run(order)).toMatchObject({ outcome: "failed", exitCode: 9, why: "exit code 9" });
  });

  test("what was started before it was full ends as it ends; new ones are refused, and start again when there is room", async () => {
    const folder = smallDisk();
    const attempts = await openTestAttempts(folder);
    const early = orderOf(script("while ! [ -e go ]; do sleep 0.05; done; exit 9"));
    await attempts.start(early);
    await expect.poll(() => readRecord(join(folder, "attempts", keyText(early), "record"))).toBeTruthy();
    const go = join(folder, "attempts", keyText(early), "work/go");
    fill(folder);
    const refused = await attempts.run(orderOf(script("true")));
    expect(refused).toMatchObject({
      outcome: "failed",
      final: false,
      why: expect.stringMatching(/^the agent's disk is full/),
    });
    expect(refused.startedAt).toBe(undefined);
    writeFileSync(go, "");
    expect(await attempts.ended(early)).toMatchObject({ exitCode: 9 });
    rmSync(join(folder, "filling"));
    expect(await attempts.run(orderOf(script("true")))).toMatchObject({ outcome: "succeeded" });
  });
});
