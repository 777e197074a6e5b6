import { type LogLine, type LogPage, type LogPiece, openLogPages } from "@reeve/model";
import { CallFault, type LogIndexNews, type LogNews } from "@reeve/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type LogReader, openLogWindow } from "./log-window.ts";

type Sent = Pick<LogPiece, "stream" | "text">;

/** A server's log: what it holds at any time, by the rules of the API, written without the window's own code. */
function openServer(sent: readonly Sent[]) {
  const size = { stdout: 0, stderr: 0 };
  const pieces = sent.map(({ stream, text = "" }, at): LogPiece => {
    const offset = size[stream];
    size[stream] += Buffer.byteLength(text);
    return { seq: 0, step: "s", attempt: 1, stream, chunk: at + 1, offset, at: "2026-01-01T00:00:00Z", text };
  });
  const placed: { chunk: number; line: LogLine }[] = [];
  for (const stream of ["stdout", "stderr"] as const) {
    const mine = pieces.filter((piece) => piece.stream === stream);
    const whole = mine.map(({ text }) => text).join("");
    let offset = 0;
    let at = 0;
    for (const text of whole.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      while ((mine[at + 1]?.offset ?? Number.POSITIVE_INFINITY) <= offset) at++;
      const piece = mine[at] as LogPiece;
      placed.push({ chunk: piece.chunk, line: { ...piece, offset, text: text.replace("\n", "") } });
      offset += Buffer.byteLength(text);
    }
  }
  placed.sort((a, b) => a.chunk - b.chunk || a.line.offset - b.line.offset);
  return { pieces, placed };
}

function readerOf(server: ReturnType<typeof openServer>, counted: number): LogReader & { losses: number } {
  return {
    losses: 0,
    async *index(): AsyncGenerator<LogIndexNews> {
      const counting = openLogPages({ after: 0, open: [] });
      let last: LogPage | undefined;
      for (const { chunk, offset, at, text, ...source } of server.pieces.slice(0, counted)) {
        const bytes = new TextEncoder().encode(text);
        const { page, full } = counting.push({ chunk, source, offset, at, bytes, isGap: false });
        if (full) yield { page };
        last = full ? undefined : page;
      }
      if (last !== undefined) yield { page: last };
      yield { end: { after: counted, open: counting.open } };
    },
    async lines({ after, to }, skip) {
      const within = server.placed.filter(({ chunk }) => chunk > after && chunk <= to);
      return within.slice(skip, skip + 1000).map(({ line }) => line);
    },
    async *follow(after, options): AsyncGenerator<LogNews> {
      for (const piece of server.pieces.slice(after)) {
        yield { event: "piece", piece };
        if (piece.chunk % 3 === 0) {
          this.losses++;
          options.onLost?.(new CallFault("unavailable", "gone"), 0);
          // What was told before the connection broke may come again.
          yield { event: "piece", piece };
        }
      }
    },
  };
}

async function textOf(window: ReturnType<typeof openLogWindow>): Promise<string[]> {
  const { count } = window.state();
  window.look(0, count);
  await expect
    .poll(() => Array.from({ length: count }, (_, at) => window.line(at)).includes(undefined))
    .toBe(false);
  return Array.from({ length: count }, (_, at) => `${window.line(at)?.stream}: ${window.line(at)?.text}`);
}

const piece = fc.record({
  stream: fc.constantFrom("stdout" as const, "stderr" as const),
  text: fc
    .array(fc.constantFrom("a", "é", "\n", "word "), { minLength: 1, maxLength: 8 })
    .map((all) => all.join("")),
});

test("whatever was counted, heard or heard twice after a loss: every line is there once, whole, in its place", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), fc.nat(30), async (sent, counted) => {
      const server = openServer(sent);
      const window = openLogWindow(readerOf(server, Math.min(counted, sent.length)));
      window.go();
      await expect.poll(() => window.state().phase, { interval: 1 }).toBe("done");
      expect(await textOf(window)).toEqual(server.placed.map(({ line }) => `${line.stream}: ${line.text}`));
    }),
    { numRuns: 60 },
  );
});

test("a long log is held in part, read where it is looked at, and a match leads to its line", async () => {
  const sent = Array.from({ length: 300 }, (_, at) => ({
    stream: "stdout" as const,
    text: Array.from({ length: 500 }, (_, n) => `line ${at * 500 + n}\n`).join(""),
  }));
  const server = openServer(sent);
  let reads = 0;
  const plain = readerOf(server, 100);
  const reader: LogReader = {
    ...plain,
    lines(page, skip) {
      reads++;
      return plain.lines(page, skip);
    },
  };
  const window = openLogWindow(reader);
  window.go();
  await expect.poll(() => window.state().phase).toBe("done");
  expect(window.state().count).toBe(150_000);
  expect(reads).toBe(0);
  expect(window.line(149_999)?.text).toBe("line 149999");
  // Too far back to be kept, though it was heard.
  expect(window.line(60_000)).toBeUndefined();
  for (const at of [0, 60_000, 12_345]) {
    window.look(at, at + 50);
    await expect.poll(() => window.line(at + 49)?.text).toBe(`line ${at + 49}`);
  }
  expect(reads).toBeLessThanOrEqual(6);
  const { chunk, line } = server.placed[77_777] as (typeof server.placed)[number];
  expect(await window.find({ ...line, chunk, line: line.text })).toBe(77_777);
});

test("what is done over while an earlier end is on its way is heard as well", async () => {
  const server = openServer(["first\n", "second\n"].map((text) => ({ stream: "stdout", text })));
  const plain = readerOf(server, 0);
  const end = Promise.withResolvers<void>();
  let follows = 0;
  const window = openLogWindow({
    ...plain,
    async *follow(after) {
      const [piece] = server.pieces.slice(after);
      if (piece !== undefined) yield { event: "piece", piece };
      if (follows++ === 0) await end.promise;
    },
  });
  window.go();
  await expect.poll(() => window.state().count).toBe(1);
  window.go();
  end.resolve();
  await expect.poll(() => window.state()).toEqual({ phase: "done", count: 2 });
});

test("a refusal ends it and says why", async () => {
  const window = openLogWindow({
    ...readerOf(openServer([]), 0),
    // biome-ignore lint/correctness/useYield: it is refused before there is anything
    async *index() {
      throw new CallFault("forbidden", "you need runs:logs in acme", { status: 403 });
    },
  });
  window.go();
  await expect
    .poll(() => window.state())
    .toMatchObject({ phase: "fault", fault: { message: "you need runs:logs in acme" } });
});
