import { createHash } from "node:crypto";
import type { Database } from "@reeve/store";
import { type SentChunk, writeChunks } from "@reeve/store/logs";
import { loggingRun } from "@reeve/store/testing";
import { onTestFinished } from "vitest";
import type { TestServer } from "./testing.ts";

/** A run whose output a test writes as its agent would have it written. */
export interface TestLog {
  readonly run: string;
  write(
    stream: "stdout" | "stderr",
    text: string | Buffer,
    options?: { end?: true; gap?: [number, string] },
  ): Promise<void>;
  endRun(as?: { exitCode: number; agoMs: number }): Promise<void>;
  loseAgent(): Promise<void>;
}

export async function openTestLog(database: Database, scope = "acme"): Promise<TestLog> {
  const { run, agent } = await loggingRun(database, { scope });
  await database.query(
    `insert into agent (uid, scope, name, identity, identity_expires_at, state, lease_until, beat_at)
     values ($1, '', 'box', $2, now(), 'connected', now() + interval '1 hour', now())`,
    [agent, Buffer.from(agent)],
  );
  const streams = {
    stdout: { offset: 0, bytes: [] as Buffer[] },
    stderr: { offset: 0, bytes: [] as Buffer[] },
  };
  return {
    run,
    async write(stream, text, { end, gap } = {}) {
      const state = streams[stream];
      const data = Buffer.from(text as string);
      const offset = state.offset + (gap?.[0] ?? 0);
      state.bytes.push(data);
      const endSha256 = createHash("sha256").update(Buffer.concat(state.bytes)).digest();
      const chunk: SentChunk = {
        agent,
        run,
        seq: 0,
        epoch: 2,
        stream,
        offset,
        data,
        gap: gap?.[1] ?? "",
        ...(end && { endSha256 }),
      };
      await writeChunks(database, [chunk]);
      state.offset = offset + data.length;
    },
    async loseAgent() {
      await database.query("update agent set state = 'lost' where uid = $1", [agent]);
    },
    async endRun(as) {
      const ended = "state = 'succeeded', ended_at = now() - $2 * interval '1 millisecond'";
      await database.query(
        `update step set ${ended}, agent = $3, started_at = now(), exit_code = $4 where run = $1`,
        [run, as?.agoMs ?? 0, agent, as?.exitCode ?? null],
      );
      await database.query(`update run set ${ended} where id = $1`, [run, as?.agoMs ?? 0]);
    },
  };
}

interface LogEvent {
  readonly event: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly data: any;
}

/** Follows through a real connection; the format is read here by its rules, not by our client's reader. */
export async function openFollow(server: TestServer, path: string, headers: Record<string, string> = {}) {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    signal: ending.signal,
    headers: { authorization: `Bearer ${server.owner}`, ...headers },
  });
  if (answer.status !== 200 || answer.body === null)
    throw new Error(`${answer.status}: ${await answer.text()}`);
  const heard: LogEvent[] = [];
  const over = read(answer.body, heard);
  over.catch(() => {});
  return {
    heard,
    over,
    text: () => heard.map(({ data }) => data.text ?? "").join(""),
    close: () => ending.abort(),
  };
}

async function read(body: ReadableStream<Uint8Array>, heard: LogEvent[]): Promise<void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const data = field("data");
      if (data !== undefined)
        heard.push({ event: field("event") ?? "", id: field("id") ?? "", data: JSON.parse(data) });
    }
  }
}
