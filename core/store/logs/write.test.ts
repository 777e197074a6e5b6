import { createHash } from "node:crypto";
import { newUid } from "@reeve/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { testDatabase } from "../testing.ts";
import { type AttemptLog, decideChunk } from "./decide.ts";
import { readChunks, readLoggedAttempts } from "./read.ts";
import { loggingRun } from "./testing.ts";
import { type SentChunk, writeChunks } from "./write.ts";

const sha = (text: string) => createHash("sha256").update(text).digest();

function freshAttempt(): AttemptLog {
  return { agent: "", outBytes: 0, errBytes: 0, outSha256: null, errSha256: null };
}

test("whatever chunks come, twice, overlapping or out of order: what is kept is the stream's beginning, without a hole", () => {
  const whole = Buffer.from("abcdefghijklmnopqrstuvwxyz");
  const chunk = fc.tuple(fc.nat(26), fc.nat(10)).map(([offset, length]) => ({
    stream: "stdout" as const,
    offset,
    data: whole.subarray(offset, offset + length),
    gap: "",
  }));
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 30 }), (chunks) => {
      const attempt = freshAttempt();
      let kept = Buffer.alloc(0);
      for (const one of chunks)
        for (const row of decideChunk(attempt, one).rows) {
          expect(row.offset).toBe(kept.length);
          kept = Buffer.concat([kept, row.data as Buffer]);
        }
      expect(kept).toEqual(whole.subarray(0, attempt.outBytes));
    }),
    { numRuns: 2000 },
  );
});

test("a chunk after a hole is refused without a word, and with one the hole is kept as a gap", () => {
  const attempt = freshAttempt();
  const late = { stream: "stderr" as const, offset: 10, data: Buffer.from("x"), gap: "" };
  expect(decideChunk(attempt, late)).toEqual({ rows: [], durable: 0, ended: false });
  const { rows, durable } = decideChunk(attempt, { ...late, gap: "over the cap" });
  expect(durable).toBe(11);
  expect(rows).toMatchObject([
    { offset: 0, length: 10, data: null, gap: "over the cap" },
    { offset: 10, length: 1, gap: null },
  ]);
  // Said again: it is there.
  expect(decideChunk(attempt, { ...late, gap: "over the cap" }).rows).toEqual([]);
});

test("chunks are written once, numbered in the order of arrival, and nothing follows the end", async () => {
  const { database } = await testDatabase();
  const { run, agent } = await loggingRun(database);
  const of = (stream: "stdout" | "stderr", offset: number, text: string, end?: string): SentChunk => ({
    ...{ agent, run, seq: 0, epoch: 2, stream, offset, data: Buffer.from(text), gap: "" },
    ...(end !== undefined && { endSha256: sha(end) }),
  });
  const first = [of("stdout", 0, "one "), of("stderr", 0, "bad "), of("stdout", 4, "two")];
  expect((await writeChunks(database, first)).map(({ durable }) => durable)).toEqual([4, 4, 7]);
  expect((await writeChunks(database, first)).map(({ durable }) => durable)).toEqual([7, 4, 7]);
  expect(
    await writeChunks(database, [of("stdout", 5, "wo three", "one two three"), of("stdout", 13, "!")]),
  ).toEqual([
    { wanted: true, durable: 13, ended: true },
    { wanted: true, durable: 13, ended: true },
  ]);
  const rows = await readChunks(database, { run, after: 0, limit: 100 });
  expect(rows.map(({ number, stream, offset, data }) => [number, stream, offset, String(data)])).toEqual([
    [1, "stdout", 0, "one "],
    [2, "stderr", 0, "bad "],
    [3, "stdout", 4, "two"],
    [4, "stdout", 7, " three"],
  ]);
  expect(await readLoggedAttempts(database, run)).toMatchObject([
    {
      seq: 0,
      epoch: 2,
      attempt: 2,
      outBytes: 13,
      errBytes: 4,
      outSha256: sha("one two three"),
      errSha256: null,
    },
  ]);
  expect(
    await readChunks(database, { run, seq: 0, epoch: 2, stream: "stdout", offset: 5, after: 0, limit: 9 }),
  ).toHaveLength(2);
});

test("an agent writes only what is or was its own", async () => {
  const { database } = await testDatabase();
  const { run, agent, before } = await loggingRun(database);
  const by = (who: string, epoch: number, id = run): SentChunk => ({
    ...{ agent: who, run: id, seq: 0, epoch, stream: "stdout", offset: 0, data: Buffer.from("x"), gap: "" },
  });
  const tried = [
    by(agent, 2),
    by(before, 1),
    by(agent, 1),
    by(before, 2),
    by(newUid(), 2),
    by(agent, 2, newUid()),
  ];
  const wanted = (await writeChunks(database, tried)).map((one) => one.wanted);
  expect(wanted).toEqual([true, true, false, false, false, false]);
  expect(await readChunks(database, { run, after: 0, limit: 9 })).toHaveLength(2);
});

test("an agent that was revoked writes nothing more, not even to what it had begun", async () => {
  const { database } = await testDatabase();
  const { run, agent } = await loggingRun(database);
  await database.query(
    `insert into agent (uid, scope, name, identity, identity_expires_at, state, lease_until, beat_at)
     values ($1, '', 'box', '\\x01', now(), 'connected', now(), now())`,
    [agent],
  );
  const chunk = (offset: number): SentChunk => ({
    ...{ agent, run, seq: 0, epoch: 2, stream: "stdout", gap: "" },
    ...{ offset, data: Buffer.from("hello") },
  });
  expect(await writeChunks(database, [chunk(0)])).toMatchObject([{ wanted: true, durable: 5 }]);
  await database.query("update agent set revoked_at = now()");
  expect(await writeChunks(database, [chunk(5)])).toMatchObject([{ wanted: false }]);
  expect(await readChunks(database, { run, after: 0, limit: 10 })).toHaveLength(1);
});

test("many writers of one run at once neither repeat a number nor block each other for ever", async () => {
  const { database } = await testDatabase();
  const one = await loggingRun(database);
  const other = await loggingRun(database, { agent: one.agent });
  const write = (stream: "stdout" | "stderr") =>
    writeChunks(
      database,
      [one.run, other.run].map((run) => ({
        ...{ agent: one.agent, run, seq: 0, epoch: 2, stream, offset: 0, data: Buffer.from("x"), gap: "" },
      })),
    );
  await Promise.all([write("stdout"), write("stderr"), write("stdout"), write("stderr")]);
  for (const { run } of [one, other]) {
    const rows = await readChunks(database, { run, after: 0, limit: 9 });
    expect(rows.map(({ number }) => number)).toEqual([1, 2]);
  }
});
