import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { finderOf } from "@reeve/model/hidden-text";
import { LogHeardSchema, LogStream } from "@reeve/protocol/agent";
import { expect, onTestFinished, test } from "vitest";
import { openLane } from "./lane.ts";
import { openMask } from "./mask.ts";
import { pieceBytes } from "./output.ts";

const key = { run: "r", seq: 1, epoch: 1 };
const most = { packed: 100_000_000, raw: 100_000_000 };

/** A stream of three pieces, of which the first has been sent. */
async function opened() {
  const folder = mkdtempSync(join(tmpdir(), "reeve-lane-"));
  const file = join(folder, "stdout");
  writeFileSync(file, Buffer.alloc(3 * pieceBytes, "a line of words\n"));
  const lane = openLane({
    key,
    stream: LogStream.STDOUT,
    output: {
      file,
      mask: openMask(finderOf([])),
      limits: { capBytes: 10 * pieceBytes, waitingBytes: 10 * pieceBytes },
      isTaken: () => true,
      scratch: Buffer.alloc(pieceBytes),
    },
  });
  onTestFinished(async () => {
    await lane.close();
    rmSync(folder, { recursive: true });
  });
  const next = async () => Number((await lane.next(most))?.offset);
  expect(await next()).toBe(0);
  return { lane, next };
}

test("a connection that is lost while a piece is read has it all from the beginning, in its order", async () => {
  const { lane, next } = await opened();
  const reading = next();
  lane.again();
  expect([await reading, await next(), await next()]).toEqual([0, pieceBytes, 2 * pieceBytes]);
});

test("what the control plane has lost while a piece is read is told first, and the rest comes after it", async () => {
  const { lane, next } = await opened();
  lane.hear(create(LogHeardSchema, { durable: BigInt(pieceBytes) }));
  expect(await next()).toBe(pieceBytes);
  const reading = lane.next(most);
  lane.hear(create(LogHeardSchema, { durable: 0n }));
  const told = await reading;
  expect([Number(told?.offset), told?.gap]).toEqual([pieceBytes, "the control plane has lost it"]);
  expect(await next()).toBe(2 * pieceBytes);
});
