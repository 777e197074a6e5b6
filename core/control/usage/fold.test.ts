import {
  meanMs,
  newUid,
  packUsage,
  sampleMs,
  type UsageSeries,
  unpackUsage,
  usageMeasures,
} from "@reeve/model";
import { testDatabase } from "@reeve/store/testing";
import { readUsage, writeUsage } from "@reeve/store/usage";
import { expect, test } from "vitest";
import { foldSome } from "./fold.ts";

const hour = Date.parse("2026-01-31T12:00:00Z");

function series(name: string, memory: readonly (number | null)[]): UsageSeries {
  return { name, values: Object.fromEntries(usageMeasures.map((measure) => [measure, memory])) as never };
}

test("the samples of an hour become one row of means for a host, once; a container that came later has gaps before", async () => {
  const { database } = await testDatabase();
  const [agent, service] = [newUid(), newUid()];
  const window = (fromMs: number, of: Record<string, UsageSeries[]>) => ({
    ...{ agent, fromMs },
    of: Object.entries(of).map(([uid, all]) => ({ uid, series: packUsage(all) })),
  });
  await writeUsage(database, sampleMs, [
    window(hour, { [agent]: [series("", [100, null, 200])] }),
    // The agent was started again in the middle of a window.
    window(hour + 2 * meanMs + sampleMs, {
      [agent]: [series("", [10])],
      [service]: [series("web-1", [5, 6])],
    }),
    window(hour + 2 * meanMs + 10 * sampleMs, { [agent]: [series("", [30])] }),
    window(hour + 3_600_000, { [agent]: [series("", [999])] }),
  ]);
  expect(await foldSome(database, hour)).toBe(true);
  expect(await foldSome(database, hour)).toBe(false);
  const means = async (uid: string) => {
    const [row, ...more] = await readUsage(database, { agent, uid }, meanMs, hour, hour + meanMs);
    expect(more).toEqual([]);
    return unpackUsage(row?.series ?? Buffer.alloc(0)).map(({ name, values }) => [
      name,
      values.memory.slice(0, 4),
    ]);
  };
  expect(await means(agent)).toEqual([["", [150, null, 20, null]]]);
  expect(await means(service)).toEqual([["web-1", [null, null, 6, null]]]);
});
