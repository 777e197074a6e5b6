import { afterAll, beforeAll, expect, test } from "vitest";
import { openBench } from "../harness/bench.ts";
import { openShop, type Shop } from "../harness/shop.ts";

/** docs/schedules.md, carried out with the real server and the command line. One story. */
const bench = openBench(afterAll);
let shop: Shop;

const manifests = `apiVersion: reeve/v1
kind: Workflow
metadata: { scope: acme/shop, name: nightly }
spec:
  steps:
    - { name: load, run: ./load.sh }
  schedules:
    - name: workdays
      cron: 30 2 * * 1-5
      timezone: Europe/Berlin
      catchUp: latest
---
apiVersion: reeve/v1
kind: Workflow
metadata: { scope: acme, name: above }
spec:
  steps: [{ name: sum, run: "true" }]
  schedules: [{ name: yearly, cron: "@yearly" }]
`;

beforeAll(async () => {
  shop = await openShop(bench, { REEVE_HOME_AGENT: "off" });
  shop.write("all.yaml", manifests);
  await shop.done(["apply", "-f", "all.yaml"]);
});

/** The rows of a table, each as its words. */
const rows = (table: string) =>
  table
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s{2,}/));

test("preview shows the ticks on the schedule's own clock, also where that changes", async () => {
  const stdout = await shop.done([
    "schedule",
    "preview",
    "nightly",
    "-n",
    "2",
    "--from",
    "2027-03-25T12:00:00Z",
  ]);
  expect(rows(stdout)).toEqual([
    ["workdays", "2027-03-26T01:30:00.000Z", "Fri 2027-03-26 02:30:00 GMT+1"],
    ["workdays", "2027-03-29T00:30:00.000Z", "Mon 2027-03-29 02:30:00 GMT+2"],
  ]);
  const five = await shop.done(["schedule", "preview", "nightly", "-n", "5"]);
  expect(rows(five).length).toBe(5);
  const wrong = await shop.reeve(["schedule", "preview", "nightly", "--from", "soon"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("2027-03-28T00:00:00Z")]);
});

test("list shows the schedules of the scope one stands in, and of those below another", async () => {
  const here = rows(await shop.done(["schedule", "list"]));
  expect(here.map(([workflow, schedule]) => [workflow, schedule])).toEqual([
    ["acme/shop/nightly", "workdays"],
  ]);
  expect(here[0]).toContain("never");
  const around = rows(await shop.done(["schedule", "list", "--scope", "acme"]));
  expect(around.map(([workflow]) => workflow)).toEqual(["acme/above", "acme/shop/nightly"]);
  await shop.done(["pause", "workflow/nightly"]);
  expect(rows(await shop.done(["schedule", "list"]))[0]).toContain("paused");
  expect((await shop.reeve(["schedule", "preview", "nightly", "-n", "1"])).stderr).toContain("is paused");
  await shop.done(["resume", "workflow/nightly"]);
});

test("backfill shows what it would run, runs each tick once, and says what was left out", async () => {
  const range = ["--from", "2026-11-02T00:00:00Z", "--until", "2026-11-05T00:00:00Z"];
  const dry = rows(await shop.done(["backfill", "nightly", ...range, "--dry-run"]));
  expect(dry).toEqual([
    ["2026-11-02T01:30:00.000Z", "would run"],
    ["2026-11-03T01:30:00.000Z", "would run"],
    ["2026-11-04T01:30:00.000Z", "would run"],
  ]);
  const begun = rows(await shop.done(["backfill", "nightly", ...range]));
  expect(begun.map(([tick]) => tick)).toEqual(dry.map(([tick]) => tick));
  const { items: runs } = JSON.parse(await shop.done(["runs", "-o", "json"])) as {
    items: { id: string; cause: string }[];
  };
  expect(new Set(runs.map(({ id }) => id))).toEqual(new Set(begun.map(([, run]) => run)));
  expect(new Set(runs.map(({ cause }) => cause))).toEqual(new Set(["backfill"]));

  const again = await shop.reeve(["backfill", "nightly", ...range]);
  expect([rows(again.stdout), again.stderr]).toEqual([
    [],
    expect.stringContaining("3 ticks have had their run"),
  ]);
  const newest = rows(await shop.done(["backfill", "nightly", ...range, "--again", "--newest-first"]));
  expect(newest[0]?.[0]).toBe("2026-11-04T01:30:00.000Z");
  const many = await shop.reeve(["backfill", "nightly", ...range, "--again", "--most", "2"]);
  expect([many.code === 0, many.stderr]).toEqual([false, expect.stringContaining("more than 2")]);
});

test("whether one may see to runs is asked like everything else", async () => {
  expect(await shop.done(["auth", "can-i", "cancel", "runs"])).toBe("yes\n");
});
