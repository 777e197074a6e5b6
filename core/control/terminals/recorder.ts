import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { type CastEvent, castHeadLine, castLine, Fault } from "@reeve/model";
import {
  type Database,
  type NewRecording,
  readRecordingPart,
  writeRecording,
  writeRecordingPart,
} from "@reeve/store";

interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Writes down what a terminal shows. */
export interface Recorder {
  readonly id: string;
  /** Before it is shown. Resolves when there is room for more. */
  shown(data: Uint8Array): Promise<void>;
  resized(size: Size): void;
  /** Why it cannot go on, if ever it cannot: nothing may be shown that is not recorded. */
  readonly lost: Promise<string>;
  /** Everything is durable; the SHA-256 of it, or undefined when it could not be written. */
  end(): Promise<Buffer | undefined>;
}

/** What is shown is durable this soon. */
const writeMs = 1000;
/** Or earlier, when it is this much; no more than about twice as much waits in memory. */
const writeBytes = 128 * 1024;
const mostMegabytes = 64;

const pack = promisify<Buffer, Buffer>(gzip);
const unpack = promisify<Buffer, Buffer>(gunzip);

export async function openRecorder(
  database: Database,
  recording: NewRecording,
  { rows, columns }: Size,
): Promise<Recorder> {
  const { id, verb, name, host } = recording;
  await writeRecording(database, recording).catch((error: unknown) => {
    throw new Fault("unavailable", "this terminal has to be recorded, and the recording could not be begun", {
      next: "try again",
      cause: error,
    });
  });
  const begunMs = Date.now();
  const hash = createHash("sha256");
  const decoder = new TextDecoder();
  const timestamp = Math.floor(begunMs / 1000);
  let waiting = castHeadLine({
    width: columns,
    height: rows,
    timestamp,
    title: `${verb} ${name} on ${host}`,
  });
  let bytes = 0;
  let part = 0;
  let broken = false;
  const lost = Promise.withResolvers<string>();
  let due: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function breakOff(why: string): void {
    broken = true;
    lost.resolve(why);
  }
  function add(what: CastEvent[1], data: string): void {
    waiting += castLine([(Date.now() - begunMs) / 1000, what, data]);
    due ??= setTimeout(write, writeMs);
  }
  function write(): Promise<void> {
    clearTimeout(due);
    due = undefined;
    writing = writing.then(writeWaiting);
    return writing;
  }
  async function writeWaiting(): Promise<void> {
    if (waiting === "" || broken) return;
    const text = Buffer.from(waiting);
    waiting = "";
    bytes += text.length;
    if (bytes > mostMegabytes * 1024 ** 2)
      return breakOff(`its recording is full: a terminal that is recorded may show ${mostMegabytes} MB`);
    try {
      await writeRecordingPart(database, recording, part++, { data: await pack(text), bytes: text.length });
      hash.update(text);
    } catch {
      breakOff("this terminal has to be recorded, and what it shows could not be written");
    }
  }

  return {
    id,
    lost: lost.promise,
    async shown(data) {
      add("o", decoder.decode(data, { stream: true }));
      if (waiting.length > writeBytes) await write();
    },
    resized: (now) => add("r", `${now.columns}x${now.rows}`),
    async end() {
      await write();
      return broken ? undefined : hash.digest();
    },
  };
}

/** A recording as it was written. */
export async function* readCastBytes(database: Database, id: string): AsyncGenerator<Buffer> {
  for (let part = 0; ; part++) {
    const data = await readRecordingPart(database, id, part);
    if (data === undefined) return;
    yield await unpack(data);
  }
}
