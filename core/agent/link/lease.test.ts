import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../testing.ts";
import { openLease } from "./lease.ts";

test("a lease lasts from when its beat was sent, and the next process goes on from it", () => {
  let now = 10_000;
  const file = join(scratch(), "lease");
  const lease = openLease(file, () => now);
  expect(lease.leftMs()).toBeLessThan(0);
  lease.sent(1n);
  now += 4000;
  lease.heard(1n, 30_000);
  expect(lease.leftMs()).toBe(26_000);
  expect(readFileSync(file, "utf8")).toMatch(/^37 40000 30000 \S+\n$/);
  now += 1000;
  expect(openLease(file, () => now).leftMs()).toBe(25_000);
  // An answer that nobody waits for moves nothing.
  lease.heard(1n, 90_000);
  expect(lease.leftMs()).toBe(25_000);
});

test("a lease from before the host's last start is none", () => {
  const file = join(scratch(), "lease");
  writeFileSync(file, "999996 999999000 30000 another-boot\n");
  expect(openLease(file).leftMs()).toBeLessThan(0);
});
