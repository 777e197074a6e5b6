import { Fault } from "@reeve/model";
import { awayFault } from "@reeve/store";
import { expect, onTestFinished, test, vi } from "vitest";
import { openLog } from "./logger.ts";

function told(level: string): string[] {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  onTestFinished(() => write.mockRestore());
  const log = openLog(level, true);
  const away = awayFault(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  log.warn({ err: away }, "cannot renew leases");
  log.warn({ err: new Fault("unavailable", "too many changes are waiting") }, "cannot seal");
  const cause = Object.assign(new Error("deadlock"), { code: "40P01" });
  log.warn({ err: new Fault("unavailable", "others were in the way", { cause }) }, "cannot prune");
  log.error({ err: away }, "the server ends");
  log.warn({ trouble: "away", err: new Error("refused") }, "the database is in trouble");
  return lines.map((line) => line.slice("00:00:00 ".length).trim());
}

test("what fails because the database is away is not told by every loop; what else fails is", () => {
  expect(told("info")).toEqual([
    "WARN  cannot seal: too many changes are waiting",
    "WARN  cannot prune: others were in the way",
    expect.stringMatching(/^ERROR the server ends/),
    "WARN  the database is in trouble trouble=away: refused",
  ]);
});

test("who wants every detail hears of each", () => {
  expect(told("debug")[0]).toBe("WARN  cannot renew leases: the database cannot be reached right now");
});
