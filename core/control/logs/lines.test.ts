import type { LogLine, LogPage } from "@reeve/model";
import { type SentChunk, writeChunks } from "@reeve/store/logs";
import { loggingRun, testDatabase } from "@reeve/store/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { indexLog } from "./index-pages.ts";
import { readLines } from "./lines.ts";
import { openSources } from "./sources.ts";

const words = fc.array(fc.constantFrom("a", "é", "\n", "\r\n", "longer "), { maxLength: 12 });
const piece = fc.record({
  stream: fc.constantFrom("stdout" as const, "stderr" as const),
  text: words.map((parts) => parts.join("")),
});

test("however output was cut into chunks, the index counts its lines, and its pages hold each of them once and whole", async () => {
  const { database } = await testDatabase();
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
      async (pieces, limit) => {
        const { run, agent } = await loggingRun(database);
        const sent = { stdout: "", stderr: "" };
        const chunks = pieces.flatMap(({ stream, text }): SentChunk[] => {
          const offset = Buffer.byteLength(sent[stream]);
          sent[stream] += text;
          const data = Buffer.from(text);
          return text === "" ? [] : [{ agent, run, seq: 0, epoch: 2, gap: "", stream, offset, data }];
        });
        await writeChunks(database, chunks);
        const { pages, lines } = await readAll(database, run, limit);
        expect(lines.length).toBe(pages.reduce((sum, page) => sum + page.lines, 0));
        for (const stream of ["stdout", "stderr"] as const) {
          const whole = sent[stream].split("\n").map((line) => line.replace(/\r$/, ""));
          if (whole.at(-1) === "") whole.pop();
          expect(lines.filter((line) => line.stream === stream).map(({ text }) => text)).toEqual(whole);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("a line that goes on after its page is shown whole, and one that is too long says so", async () => {
  const { database } = await testDatabase();
  const { run, agent } = await loggingRun(database);
  const of = (stream: SentChunk["stream"], offset: number, text: string): SentChunk => ({
    ...{ agent, run, seq: 0, epoch: 2, gap: "", stream, offset, data: Buffer.from(text) },
  });
  const line = `${"x".repeat(99)}\n`;
  await writeChunks(database, [
    of("stderr", 0, "a prompt: "),
    ...Array.from({ length: 300 }, (_, n) => of("stdout", n * line.length, line)),
    of("stderr", 10, `yes ${"y".repeat(20_000)}\nnext`),
  ]);
  const { pages, lines } = await readAll(database, run, 1000);
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.at(-1)?.open).toEqual(["0.2.stderr"]);
  expect(lines[0]?.text.startsWith("a prompt: yes yyy")).toBe(true);
  expect(lines[0]).toMatchObject({ cut: true, attempt: 2, offset: 0 });
  expect(lines.at(-1)).toMatchObject({ text: "next", stream: "stderr" });
  expect(lines).toHaveLength(302);
});

async function readAll(database: Parameters<typeof openSources>[0], run: string, limit: number) {
  const sources = openSources(database, run, { steps: [] });
  const places = { database, archive: undefined };
  const pages: LogPage[] = [];
  for await (const found of indexLog(places, sources, { run })) pages.push(...found.pages);
  const lines: LogLine[] = [];
  for (const page of pages)
    for (let skip = 0; skip < page.lines; skip += limit)
      lines.push(...(await readLines(places, sources, { run }, { ...page, skip, limit })));
  return { pages, lines };
}
