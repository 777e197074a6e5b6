import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import {
  type AttemptKey,
  type OpenLogsStream,
  openShipping,
  type ShippingLimits,
  type ShippingOptions,
} from "@reeve/agent";
import { type Logs, openLogs } from "@reeve/control";
import type { Database } from "@reeve/store";
import { readChunks, readLoggedAttempts, writeChunks } from "@reeve/store/logs";
import { loggingRun, testDatabase } from "@reeve/store/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { testServer } from "../../apps/server/testing.ts";

/** The agent's real files and shipping, a replica's real receiving and a real Postgres; between them, calls instead of a network. */

const limits = { bytesPerSecond: 1e9, bytesOfRun: 1e9 };
const quiet = { info() {}, warn() {}, error() {}, debug() {} };
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const stars = (text: Buffer, secret: string) =>
  Buffer.from(text.toString("latin1").replaceAll(secret, "*".repeat(secret.length)), "latin1");

interface Bench {
  readonly database: Database;
  readonly logs: Logs;
  readonly key: AttemptKey;
  readonly agent: string;
  readonly files: { out: string; err: string };
  ship(
    limits?: Partial<ShippingLimits>,
    stream?: OpenLogsStream,
    holdBack?: ShippingOptions["holdBack"],
  ): ReturnType<typeof openShipping>;
}

async function bench(allowed = limits): Promise<Bench> {
  const { database } = await testDatabase();
  const { run, agent } = await loggingRun(database);
  const folder = mkdtempSync(join(tmpdir(), "reeve-logs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const logs = openLogs(database, allowed, quiet);
  const files = { out: join(folder, "out"), err: join(folder, "err") };
  writeFileSync(files.out, "");
  writeFileSync(files.err, "");
  const direct: OpenLogsStream = (requests) => logs.receive(agent, requests);
  return {
    ...{ database, logs, agent, files, key: { run, seq: 0, epoch: 2 } },
    ship(limits, stream = direct, holdBack = () => {}) {
      const shipping = openShipping({ stream, holdBack, ...(limits && { limits }) });
      onTestFinished(() => shipping.stop());
      return shipping;
    },
  };
}

/** What the store holds of a stream: its bytes, its gaps, and the hash of its end. */
async function stored({ database, key }: Bench, stream: "stdout" | "stderr") {
  const rows = await readChunks(database, { ...key, stream, after: 0, limit: 1_000_000 });
  let at = 0;
  for (const row of rows) {
    expect(row.offset).toBe(at);
    at += row.length;
  }
  const bytes = Buffer.concat(
    rows.map(({ packed, data }) =>
      data === null ? Buffer.alloc(0) : packed ? zstdDecompressSync(data) : data,
    ),
  );
  const [attempt] = await readLoggedAttempts(database, key.run);
  const end = stream === "stdout" ? attempt?.outSha256 : attempt?.errSha256;
  return { bytes, length: at, gaps: rows.flatMap(({ gap }) => gap ?? []), end: end?.toString("hex") };
}

test("what two streams hold arrives whole while it is written, with the hash of the masked bytes", async () => {
  const one = await bench();
  const shipping = await one.ship();
  shipping.watch(one.key, { ...one.files, hide: ["hunter2secret"] });
  const out = Buffer.from(`first\nthe password is hunter2secret\n${"line\n".repeat(100_000)}hunter2sec`);
  for (let at = 0; at < out.length; at += 7919) {
    appendFileSync(one.files.out, out.subarray(at, at + 7919));
    if (at % 5 === 0) await new Promise(setImmediate);
  }
  appendFileSync(one.files.err, "a warning without a line's end");
  await expect.poll(async () => (await stored(one, "stderr")).bytes.length).toBe(30);
  shipping.ended(one.key);
  await shipping.shipped(one.key);
  const [seen, warned] = [await stored(one, "stdout"), await stored(one, "stderr")];
  expect(seen.bytes.equals(stars(out, "hunter2secret"))).toBe(true);
  expect(seen.end).toBe(sha256(seen.bytes));
  expect(warned.bytes.toString()).toBe("a warning without a line's end");
  expect(warned.end).toBe(sha256(warned.bytes));
  expect(shipping.figures).toEqual({ attempts: 0, unshippedBytes: 0, trouble: "" });
});

test("over connections that keep breaking and answers that get lost, nothing is lost, repeated or out of order", async () => {
  const one = await bench();
  let broken = 0;
  const shipping = await one.ship({ windowBytes: 1024 * 1024 }, async function* (requests) {
    let left = 1 + Math.floor(Math.random() * 4);
    for await (const answer of one.logs.receive(one.agent, requests)) {
      if (left-- > 0) yield answer;
      else {
        broken++;
        throw new Error("the connection was lost");
      }
    }
  });
  const out = randomBytes(6 * 1024 * 1024);
  writeFileSync(one.files.out, out);
  shipping.watch(one.key, { ...one.files, hide: [] });
  shipping.ended(one.key);
  await shipping.shipped(one.key);
  const seen = await stored(one, "stdout");
  expect(broken).toBeGreaterThan(0);
  expect(seen.bytes.equals(out)).toBe(true);
  expect(seen.end).toBe(sha256(out));
  expect((await stored(one, "stderr")).end).toBe(sha256(Buffer.alloc(0)));
});

test("many floods go on after a connection that was lost when the window was full", async () => {
  const one = await bench();
  let connections = 0;
  const window = { windowBytes: 1024 * 1024 };
  const shipping = await one.ship(window, async function* (requests) {
    if (++connections > 1) return yield* one.logs.receive(one.agent, requests);
    let bytes = 0;
    for await (const { chunks } of requests) {
      bytes += chunks.reduce((sum, { data }) => sum + data.length, 0);
      if (bytes >= window.windowBytes) throw new Error("the connection was lost");
    }
  });
  const keys = await Promise.all(
    Array.from({ length: 6 }, async (_, at) => {
      const { run } = await loggingRun(one.database, { agent: one.agent });
      const files = { out: `${one.files.out}${at}`, err: `${one.files.err}${at}` };
      writeFileSync(files.out, randomBytes(1024 * 1024));
      writeFileSync(files.err, "");
      const key = { run, seq: 0, epoch: 2 };
      shipping.watch(key, { ...files, hide: [] });
      shipping.ended(key);
      return key;
    }),
  );
  await Promise.all(keys.map((key) => shipping.shipped(key)));
});

test("a flood of 100 MB arrives with its hash, its disk is freed on the way, and a neighbour's line does not wait for it", async () => {
  const one = await bench();
  const neighbour = await loggingRun(one.database, { agent: one.agent });
  const shipping = await one.ship();
  const line = Buffer.from(`${"0123456789abcdef".repeat(63)}a secret word!!\n`);
  const block = Buffer.concat(Array.from({ length: 1024 }, () => line));
  const hash = createHash("sha256");
  for (let mb = 0; mb < 100; mb++) appendFileSync(one.files.out, block);
  for (let mb = 0; mb < 100; mb++) hash.update(stars(block, "a secret word!!"));
  shipping.watch(one.key, { ...one.files, hide: ["a secret word!!"] });
  await expect
    .poll(async () => (await readLoggedAttempts(one.database, one.key.run))[0]?.outBytes ?? 0)
    .toBeGreaterThan(0);
  const quietFiles = { out: `${one.files.out}2`, err: `${one.files.err}2` };
  writeFileSync(quietFiles.out, "a word from next door\n");
  const nextDoor = { run: neighbour.run, seq: 0, epoch: 2 };
  shipping.watch(nextDoor, { ...quietFiles, hide: [] });
  shipping.ended(nextDoor);
  await shipping.shipped(nextDoor);
  expect((await readLoggedAttempts(one.database, one.key.run))[0]?.outBytes).toBeLessThan(100 * 1024 * 1024);
  shipping.ended(one.key);
  await shipping.shipped(one.key);
  const [attempt] = await readLoggedAttempts(one.database, one.key.run);
  expect(attempt?.outSha256?.toString("hex")).toBe(hash.digest("hex"));
  expect(statSync(one.files.out).size).toBe(100 * 1024 * 1024);
  // What is freed is written down before: on a busy disk that comes a while after the control plane's word.
  await expect.poll(() => statSync(one.files.out).blocks * 512).toBeLessThan(40 * 1024 * 1024);
});

test("after a restart of the agent the rest follows, also when the beginning is freed and a secret lies across the border", async () => {
  const one = await bench();
  const secret = "the secret of the long river";
  const first = await one.ship({}, async function* (requests, signal) {
    for await (const answer of one.logs.receive(one.agent, requests)) {
      if (signal.aborted) return;
      yield answer;
    }
  });
  const line = `${secret}, ${"x".repeat(37)}\n`;
  const out = Buffer.from(line.repeat(Math.ceil((30 * 1024 * 1024) / line.length)));
  writeFileSync(one.files.out, out);
  first.watch(one.key, { ...one.files, hide: [secret] });
  await expect
    .poll(async () => statSync(`${one.files.out}.shipped`, { throwIfNoEntry: false })?.size ?? 0)
    .toBeGreaterThan(0);
  await first.stop();
  const second = await one.ship();
  second.watch(one.key, { ...one.files, hide: [secret] });
  second.ended(one.key);
  await second.shipped(one.key);
  const seen = await stored(one, "stdout");
  expect(seen.gaps).toEqual([]);
  expect(seen.bytes.equals(stars(out, secret))).toBe(true);
  expect(seen.end).toBe(sha256(seen.bytes));
});

test("a body that writes faster than it is taken of is held back meanwhile, and nothing of it is missing", async () => {
  const one = await bench();
  const told: boolean[] = [];
  const isHeld = Promise.withResolvers<void>();
  const slow: OpenLogsStream = async function* (requests) {
    for await (const answer of one.logs.receive(one.agent, requests)) {
      yield answer;
      await isHeld.promise;
    }
  };
  const windows = { windowBytes: 1024 * 1024, aheadBytes: 2 * 1024 * 1024 };
  const shipping = one.ship(windows, slow, (_, held) => {
    told.push(held);
    if (held) isHeld.resolve();
  });
  const out = randomBytes(8 * 1024 * 1024);
  writeFileSync(one.files.out, out);
  shipping.watch(one.key, { ...one.files, hide: [] });
  await isHeld.promise;
  shipping.ended(one.key);
  await shipping.shipped(one.key);
  await expect.poll(() => told.at(-1)).toBe(false);
  const seen = await stored(one, "stdout");
  expect(seen.gaps).toEqual([]);
  expect(seen.end).toBe(sha256(out));
});

test("over its cap a log has a gap that says so, and its last bytes", async () => {
  const one = await bench();
  const shipping = await one.ship({ capBytes: 256 * 1024 });
  const out = Buffer.alloc(2 * 1024 * 1024, "0123456789");
  writeFileSync(one.files.out, Buffer.concat([out, Buffer.from("why it failed\n")]));
  shipping.watch(one.key, { ...one.files, hide: [] });
  shipping.ended(one.key);
  await shipping.shipped(one.key);
  const seen = await stored(one, "stdout");
  expect(seen.length).toBe(out.length + 14);
  expect(seen.gaps).toEqual(["the log is over its cap of 262144 bytes"]);
  expect(seen.bytes.length).toBe(256 * 1024 + 64 * 1024);
  expect(seen.bytes.toString().endsWith("why it failed\n")).toBe(true);
  expect(seen.end).toBe(sha256(seen.bytes));
});

test("while the control plane is away the disk fills only up to the limit, and then a gap says what is missing", async () => {
  const one = await bench();
  let away = true;
  const shipping = await one.ship({ waitingBytes: 16 * 1024 * 1024 }, (requests) => {
    if (away) throw new Error("no answer");
    return one.logs.receive(one.agent, requests);
  });
  shipping.watch(one.key, { ...one.files, hide: [] });
  const block = Buffer.alloc(1024 * 1024, "0123456789\n");
  for (let mb = 0; mb < 40; mb++) appendFileSync(one.files.out, block);
  const onDisk = () => statSync(one.files.out).blocks * 512;
  await expect.poll(onDisk, { timeout: 20_000 }).toBeLessThanOrEqual(16 * 1024 * 1024);
  away = false;
  shipping.ended(one.key);
  await shipping.shipped(one.key);
  const seen = await stored(one, "stdout");
  expect(seen.length).toBe(40 * 1024 * 1024);
  expect(seen.gaps).toEqual(["over 16777216 bytes waited for the control plane"]);
  expect(seen.bytes.length).toBe(8 * 1024 * 1024);
});

test.each([
  ["had come", true],
  ["had not come", false],
])(
  "an agent that is restarted while it leaves output out ends with the hash of what is kept, though what was on its way %s",
  async (_, comes) => {
    const one = await bench();
    const secret = "the secret of the long river";
    // What is sent arrives or not; the agent hears of none of it.
    const silent: OpenLogsStream = async function* (requests, signal) {
      const arriving = comes ? one.logs.receive(one.agent, requests) : requests;
      for await (const _ of arriving) if (signal.aborted) return;
      yield* [];
    };
    const waits = { waitingBytes: 16 * 1024 * 1024 };
    const first = one.ship(waits, silent);
    first.watch(one.key, { ...one.files, hide: [secret] });
    const line = Buffer.from(`${secret}, ${"x".repeat(37)}\n`);
    const block = Buffer.concat(Array.from({ length: 16_000 }, () => line));
    const onDisk = () => statSync(one.files.out).blocks * 512;
    // Twice, the second time from where it is by then. Half as much as may wait is on its way.
    for (let time = 0; time < 2; time++) {
      for (let mb = 0; mb < 40; mb++) appendFileSync(one.files.out, block);
      await expect.poll(onDisk).toBeLessThanOrEqual(24 * 1024 * 1024);
    }
    if (comes) await expect.poll(async () => (await stored(one, "stdout")).length).toBeGreaterThan(0);
    await first.stop();
    const second = one.ship(waits);
    second.watch(one.key, { ...one.files, hide: [secret] });
    second.ended(one.key);
    await second.shipped(one.key);
    const seen = await stored(one, "stdout");
    expect(seen.length).toBe(80 * block.length);
    expect(new Set(seen.gaps)).toEqual(new Set(["over 16777216 bytes waited for the control plane"]));
    expect(seen.bytes.length).toBeGreaterThan(15 * 1024 * 1024);
    expect(seen.bytes.includes(secret)).toBe(false);
    expect(seen.end).toBe(sha256(seen.bytes));
  },
);

test("a log whose file has lost its end with the host's power ends where the control plane has it", async () => {
  const one = await bench();
  const first = one.ship();
  first.watch(one.key, { ...one.files, hide: [] });
  appendFileSync(one.files.out, "on the disk, and what was not there yet");
  await expect.poll(async () => (await stored(one, "stdout")).length).toBe(39);
  await first.stop();
  truncateSync(one.files.out, 11);
  const second = one.ship();
  second.watch(one.key, { ...one.files, hide: [] });
  second.ended(one.key);
  await second.shipped(one.key);
  const seen = await stored(one, "stdout");
  expect(seen.bytes.toString()).toBe("on the disk, and what was not there yet");
  expect(seen.end).toBeDefined();
  expect((await stored(one, "stderr")).end).toBe(sha256(Buffer.alloc(0)));
});

test("a control plane that listens and takes nothing lets no disk fill either", async () => {
  const one = await bench();
  const shipping = await one.ship({ waitingBytes: 16 * 1024 * 1024 }, async function* (requests) {
    for await (const _ of requests) yield* [];
  });
  shipping.watch(one.key, { ...one.files, hide: [] });
  const block = Buffer.alloc(1024 * 1024, "0123456789\n");
  for (let mb = 0; mb < 40; mb++) appendFileSync(one.files.out, block);
  const onDisk = () => statSync(one.files.out).blocks * 512;
  await expect.poll(onDisk, { timeout: 30_000 }).toBeLessThanOrEqual(16 * 1024 * 1024);
});

test("a body that cuts its own file short loses nothing that was read, and what follows is not taken for old", async () => {
  const one = await bench();
  const shipping = await one.ship();
  shipping.watch(one.key, { ...one.files, hide: [] });
  appendFileSync(one.files.err, "before\n");
  await expect.poll(async () => (await stored(one, "stderr")).bytes.toString()).toBe("before\n");
  truncateSync(one.files.err, 0);
  appendFileSync(one.files.err, "x\n");
  await expect.poll(async () => (await stored(one, "stderr")).bytes.toString()).toBe("before\nx\n");
  shipping.ended(one.key);
  await shipping.shipped(one.key);
  expect((await stored(one, "stderr")).end).toBe(sha256(Buffer.from("before\nx\n")));
});

test("without the texts to hide nothing is shown, and the log says so", async () => {
  const one = await bench();
  const shipping = await one.ship();
  writeFileSync(one.files.out, "the password is hunter2secret\n");
  shipping.watch(one.key, { ...one.files, hide: undefined });
  shipping.ended(one.key);
  await shipping.shipped(one.key);
  const seen = await stored(one, "stdout");
  expect(seen.bytes.length).toBe(0);
  expect(seen.gaps).toEqual(["what to hide in it was lost when the host was restarted"]);
});

test("what nobody wants is forgotten: the run is gone", async () => {
  const one = await bench();
  const shipping = await one.ship();
  writeFileSync(one.files.out, "hello\n");
  await one.database.query("delete from step where run = $1", [one.key.run]);
  shipping.watch(one.key, { ...one.files, hide: [] });
  await shipping.shipped(one.key);
  expect((await stored(one, "stdout")).bytes.length).toBe(0);
});

test("a run that writes more than it may gets a gap that says so, and its agent hears that no more is wanted", async () => {
  const one = await bench({ ...limits, bytesOfRun: 1024 * 1024 });
  const shipping = await one.ship({ windowBytes: 1024 * 1024 });
  writeFileSync(one.files.out, randomBytes(8 * 1024 * 1024));
  shipping.watch(one.key, { ...one.files, hide: [] });
  await shipping.shipped(one.key);
  const seen = await stored(one, "stdout");
  expect(seen.bytes.length).toBeGreaterThanOrEqual(1024 * 1024);
  expect(seen.bytes.length).toBeLessThan(4 * 1024 * 1024);
  expect(new Set(seen.gaps)).toEqual(new Set(["the run has written more than 1048576 bytes"]));
  // An agent that does not listen.
  const told = "nobody wants this";
  const many = Array.from({ length: 3000 }, (_, index) => ({
    ...{ ...one.key, agent: one.agent, stream: "stderr" as const, offset: index, data: Buffer.from(told) },
    gap: "again",
  }));
  const written = await writeChunks(one.database, many, 1024 * 1024);
  expect(written.every(({ wanted }) => !wanted)).toBe(true);
  const rows = await readChunks(one.database, { ...one.key, stream: "stderr", after: 0, limit: 10_000 });
  expect(rows.length).toBeLessThan(1100);
  expect(rows.every(({ data }) => data === null)).toBe(true);
});

test("an agent is taken no more of than its share, and loses nothing by it", async () => {
  const one = await bench({ ...limits, bytesPerSecond: 4 * 1024 * 1024 });
  const shipping = await one.ship();
  const out = Buffer.alloc(6 * 1024 * 1024, "0123456789\n");
  writeFileSync(one.files.out, out);
  const startedAt = performance.now();
  shipping.watch(one.key, { ...one.files, hide: [] });
  shipping.ended(one.key);
  await shipping.shipped(one.key);
  // At least: how long it takes beyond that is the machine's matter.
  expect(performance.now() - startedAt).toBeGreaterThan(700);
  expect((await stored(one, "stdout")).end).toBe(sha256(out));
});

test("whoever follows at another replica hears of output at once, without looking for it", async () => {
  // The looks for what nobody told of are by interval: there are none.
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const one = await bench();
  const other = openLogs(one.database, limits, quiet);
  onTestFinished(() => other.stop());
  const hinted = openLogs(one.database, limits, quiet, (runs) => other.news.written(new Set(runs)));
  const heard = Promise.withResolvers<void>();
  onTestFinished(other.news.about(one.key.run, heard.resolve));
  const shipping = one.ship({}, (requests) => hinted.receive(one.agent, requests));
  appendFileSync(one.files.out, "a line\n");
  shipping.watch(one.key, { ...one.files, hide: [] });
  await heard.promise;
  expect((await stored(one, "stdout")).bytes.toString()).toBe("a line\n");
});

test("a secret that a step echoes is in no row, no tail, no search and no download", async () => {
  const server = await testServer();
  const { run, agent } = await loggingRun(server.database);
  const folder = mkdtempSync(join(tmpdir(), "reeve-canary-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = { out: join(folder, "out"), err: join(folder, "err") };
  const canary = "canary/of+the=deep-mine";
  const encoded = Buffer.from(`user:${canary}`).toString("base64");
  const forms = [canary, encodeURIComponent(canary), encoded.slice(8, -4)];
  writeFileSync(files.out, "");
  const logs = openLogs(server.database, limits, quiet);
  const shipping = openShipping({
    stream: (requests) => logs.receive(agent, requests),
    holdBack: () => {},
  });
  onTestFinished(() => shipping.stop());
  const key = { run, seq: 0, epoch: 2 };
  shipping.watch(key, { ...files, hide: [canary] });
  // Byte by byte, so that the borders of what is read lie within it.
  for (const byte of Buffer.from(`echo ${canary} ${encodeURIComponent(canary)} ${encoded}\n`)) {
    appendFileSync(files.out, Buffer.of(byte));
    await new Promise(setImmediate);
  }
  appendFileSync(files.err, `oh ${canary}\n`);
  shipping.ended(key);
  await shipping.shipped(key);
  await server.database.query("update run set ended_at = now(), state = 'succeeded' where id = $1", [run]);
  const of = { database: server.database, key } as Bench;
  const seen = [(await stored(of, "stdout")).bytes.toString(), (await stored(of, "stderr")).bytes.toString()];
  for (const path of ["logs", "logs?format=tar", "logs?follow=true", "steps/0/logs?stream=stdout&format=raw"])
    seen.push(String((await server.call("GET", `/runs/${run}/${path}`)).body));
  for (const text of seen) {
    expect(text).toContain("***");
    for (const form of forms) expect(text).not.toContain(form);
  }
  const found = await server.call("GET", `/runs/${run}/logs/search?q=${encodeURIComponent(canary)}`);
  expect(found.body).toEqual({ items: [] });
});
