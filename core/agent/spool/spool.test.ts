import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Order, openSpool } from "./spool.ts";

const run = "018f0000-0000-7000-8000-000000000001";
const ending = {
  outcome: "succeeded",
  why: "",
  outputs: { rows: 3, startedAt: "early" },
  endedAt: new Date("2026-11-15T14:00:00.123Z"),
  final: false,
} as const;

const key = (seq: number) => ({ run, seq, epoch: 1 });

function order(seq: number): Order {
  return {
    ...key(seq),
    executor: "shell",
    with: JSON.stringify({ script: "echo ü\n" }),
    hasSecrets: false,
    atMostOnce: false,
    exclusive: false,
    number: 1,
    scope: "acme",
    workflow: "etl",
    step: `s${seq}`,
  };
}

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-spool-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "spool");
}

test("what was accepted, begun and ended is there for the next process, what was forgotten is not", async () => {
  const file = place();
  const spool = await openSpool(file);
  expect(spool.left).toEqual([]);
  await spool.accepted([order(1), order(2), order(3), order(4)]);
  await spool.begun([order(2)]);
  await spool.ended(order(3), ending);
  spool.forgotten(order(4));
  await spool.ended(key(5), ending);
  await spool.close();
  expect((await openSpool(file)).left).toEqual([
    { key: key(1), order: order(1), begun: false },
    { key: key(2), order: order(2), begun: true },
    { key: key(3), order: order(3), begun: false, ending },
    { key: key(5), begun: false, ending },
  ]);
});

test.each([1, 10, 100])(
  "a tail torn %d bytes before its end costs only what was not acknowledged",
  async (cut) => {
    const file = place();
    const spool = await openSpool(file);
    await spool.accepted([order(1)]);
    await spool.accepted([order(2)]);
    await spool.close();
    truncateSync(file, statSync(file).size - cut);
    const again = await openSpool(file);
    expect(again.left.map((one) => one.key.seq)).toEqual([1]);
    await again.accepted([order(3)]);
    await again.close();
    expect((await openSpool(file)).left.map((one) => one.key.seq)).toEqual([1, 3]);
  },
);

test("a block that the disk lost hides nothing that comes after it", async () => {
  const file = place();
  const spool = await openSpool(file);
  await spool.accepted([order(1)]);
  await spool.close();
  appendFileSync(file, `${"\0".repeat(300)}\n`);
  const again = await openSpool(file);
  await again.accepted([order(2)]);
  await again.close();
  expect((await openSpool(file)).left.map((one) => one.key.seq)).toEqual([1, 2]);
});

test("the file does not grow with what has been forgotten, and keeps what has not", async () => {
  const file = place();
  const spool = await openSpool(file, 20_000);
  await spool.accepted([order(0)]);
  for (let seq = 1; seq <= 500; seq++) {
    await spool.accepted([order(seq)]);
    await spool.ended(order(seq), ending);
    if (seq !== 250) spool.forgotten(order(seq));
  }
  await spool.close();
  expect(statSync(file).size).toBeLessThan(25_000);
  expect((await openSpool(file)).left).toEqual([
    { key: key(0), order: order(0), begun: false },
    { key: key(250), order: order(250), begun: false, ending },
  ]);
});

test("appends that come together share one write, in their order", async () => {
  const file = place();
  const spool = await openSpool(file);
  await Promise.all(Array.from({ length: 1000 }, (_, seq) => spool.accepted([order(seq)])));
  const seqs = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).accepted.seq);
  expect(seqs).toEqual(Array.from({ length: 1000 }, (_, seq) => seq));
  await spool.close();
});
