import { defaultRetention, retentionRules } from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { startRetention } from "./retention.ts";

test("a rule that always fails is told by its name, and keeps no other from running", async () => {
  const { database } = await testDatabase();
  await database.query(
    "insert into lane_mark (id, at) select gen_random_uuid(), now() - interval '3 days' from generate_series(1, 5)",
  );
  const broken = { name: "broken", prune: () => database.query("select 1 / 0").then(() => 0) };
  const told: unknown[] = [];
  const log = { info() {}, debug() {}, error() {}, warn: (detail: object) => void told.push(detail) };
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const stop = startRetention(
    database,
    { mine: [0] } as never,
    [broken, ...retentionRules(defaultRetention)],
    log,
  );
  onTestFinished(() => {
    stop();
    vi.useRealTimers();
  });
  const left = () => database.query("select 1 from lane_mark where at < now() - interval '1 day'");
  expect(await left()).toHaveLength(5);
  vi.advanceTimersByTime(60_000);
  await expect.poll(left).toEqual([]);
  expect(told).toEqual([expect.objectContaining({ rule: "broken" })]);
});
