import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { unpackUsage } from "@reeve/model";
import { UsageSchema } from "@reeve/protocol/agent";
import { expect, test } from "vitest";
import { readHost } from "./host.ts";
import { openRates, type UsageReading } from "./reading.ts";
import { openWindows, type Windows } from "./windows.ts";

const start = Date.parse("2026-01-31T12:00:00Z");
const sample = { cpu: 1, memory: 2, disk: null, diskRead: 0, diskWritten: 0, networkIn: 0, networkOut: 0 };
const host = { uid: "host", name: "", sample };
const web = { uid: "service", name: "web-1", sample };

function shown(message: ReturnType<Windows["open"]>) {
  const { from, samples, of } = create(UsageSchema, message);
  const series = of.flatMap(({ uid, series }) =>
    unpackUsage(series).map(({ name, values }) => [uid, name, values.memory]),
  );
  return { from: from && timestampMs(from) - start, samples, series };
}

test("samples gather in a window until five minutes are over; what came late or went early has gaps", () => {
  const windows = openWindows();
  windows.add(start + 240_000, [host]);
  windows.add(start + 255_100, [host, web]);
  // One was missed: the machine slept.
  windows.add(start + 285_000, [host]);
  expect(shown(windows.open(start))).toEqual({
    ...{ from: 240_000, samples: 4 },
    series: [
      ["host", "", [2, 2, null, 2]],
      ["service", "web-1", [null, 2, null, null]],
    ],
  });
  expect(windows.unheard(start)).toEqual([]);
  windows.add(start + 300_000, [host]);
  expect(shown(windows.open(start))).toMatchObject({ from: 300_000, samples: 1 });
  expect(windows.unheard(start).map(shown)).toMatchObject([{ from: 240_000, samples: 4 }]);
});

test("a window is held until all of it was heard; without a control plane the last hour is", () => {
  const windows = openWindows();
  windows.add(start, [host]);
  windows.add(start + 15_000, [host]);
  windows.add(start + 300_000, [host]);
  windows.heard(start, 1);
  expect(windows.unheard(start)).toHaveLength(1);
  windows.heard(start, 2);
  expect(windows.unheard(start)).toEqual([]);
  for (let at = 1; at < 30; at++) windows.add(start + at * 300_000, [host]);
  expect(windows.unheard(start)).toHaveLength(12);
  expect(shown(windows.unheard(start)[0]).from).toBe(17 * 300_000);
});

const reading: UsageReading = {
  ...{ id: "a", sinceMs: start, cpuMs: 500, memoryBytes: 7, diskReadBytes: 0, diskWrittenBytes: 0 },
  ...{ networkInBytes: 1000, networkOutBytes: 0 },
};

test("counters become rates: since they began, then since they were read; one that was set back tells nothing", () => {
  const rates = openRates();
  expect(rates(reading, start + 1000)).toMatchObject({ cpu: 500, memory: 7, disk: null, networkIn: 1000 });
  expect(rates({ ...reading, cpuMs: 2500 }, start + 2000)).toMatchObject({ cpu: 2000, networkIn: 0 });
  expect(rates({ ...reading, cpuMs: 0 }, start + 3000)).toMatchObject({ cpu: null });
  expect(rates({ ...reading, id: "b", sinceMs: start + 3000, cpuMs: 100 }, start + 4000)).toMatchObject({
    cpu: 100,
  });
});

test.runIf(process.platform === "linux")("a host is read from the kernel's own figures", () => {
  const found = readHost(42) as UsageReading;
  expect(found.cpuMs).toBeGreaterThan(0);
  expect(found.memoryBytes).toBeGreaterThan(1_000_000);
  expect(found.sinceMs).toBeLessThan(Date.now());
  expect(found).toMatchObject({ diskBytes: 42 });
  for (const bytes of [found.diskReadBytes, found.networkInBytes]) expect(bytes).toBeGreaterThanOrEqual(0);
});
