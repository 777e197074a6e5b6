import { meanMs, sampleMs, type UsageMeasure, type UsageSeries, usageMeasures } from "@reeve/model";
import type { Database } from "@reeve/store";
import { latestUsage, readUsage, type UsagePlace, usagePlaces } from "@reeve/store/usage";
import { type Grid, openGrid, readSeries } from "./grid.ts";

const hourMs = 3_600_000;
/** Older than this, only means are kept. */
const samplesMs = 24 * hourMs;
/** What was said longer ago is not what is used now. */
const nowMinutes = 6;
const nowMs = 60_000;

/** What a resource used on one host: its containers, or the host itself without a name. */
export interface UsedOnHost extends UsageSeries {
  readonly host: string;
}

/** A resource over time, host by host. */
export async function usedOverTime(database: Database, uid: string, grid: Grid): Promise<UsedOnHost[]> {
  const places = await usagePlaces(database, [uid]);
  const found = await Promise.all(
    places.map(async (place) => {
      const series = await seriesOn(database, place, grid);
      return series.map((one) => ({ host: place.host, ...one }));
    }),
  );
  return found.flat();
}

async function seriesOn(database: Database, place: UsagePlace, asked: Grid): Promise<UsageSeries[]> {
  const grid = openGrid(asked);
  const endMs = asked.fromMs + asked.count * asked.stepMs;
  let samplesFromMs = asked.fromMs;
  if (asked.fromMs < Date.now() - samplesMs - hourMs) {
    const means = await readUsage(database, place, meanMs, asked.fromMs - hourMs, endMs);
    for (const { fromMs, series } of means) grid.add(series, fromMs, meanMs);
    // The last hours have no means yet.
    samplesFromMs = Math.max(
      samplesFromMs,
      (means.at(-1)?.fromMs ?? Date.now() - samplesMs - hourMs) + hourMs,
    );
  }
  for (const { fromMs, series } of await readUsage(database, place, sampleMs, samplesFromMs - meanMs, endMs))
    grid.add(series, fromMs, sampleMs);
  return grid.series();
}

export interface UsedNow {
  readonly uid: string;
  readonly host: string;
  readonly name: string;
  readonly at: string;
  readonly values: Readonly<Record<UsageMeasure, number | null>>;
}

/** What resources use now, host by host; what was not heard of for a minute is left out. */
export async function usedNow(database: Database, uids: readonly string[]): Promise<UsedNow[]> {
  const places = await usagePlaces(database, uids);
  const latest = await latestUsage(database, places, nowMinutes);
  return latest.flatMap(({ at, fromMs, series }) => {
    const { uid, host } = places[at] as UsagePlace;
    return readSeries(series).flatMap(({ name, values }) => {
      const last = values.memory.findLastIndex((value) => value !== null);
      const atMs = fromMs + last * sampleMs;
      if (last < 0 || atMs < Date.now() - nowMs) return [];
      const now = usageMeasures.map((measure) => [measure, values[measure][last] ?? null]);
      return [{ uid, host, name, at: new Date(atMs).toISOString(), values: Object.fromEntries(now) }];
    });
  });
}
