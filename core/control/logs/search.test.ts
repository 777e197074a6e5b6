import { type SentChunk, writeChunks } from "@reeve/store/logs";
import { loggingRun, testDatabase } from "@reeve/store/testing";
import { expect, test } from "vitest";
import { type SearchPlace, searchLog } from "./search.ts";
import { openSources } from "./sources.ts";

test("a line that never ends does not keep a search from going on, and is found itself", async () => {
  const { database } = await testDatabase();
  const { run, agent } = await loggingRun(database);
  const chunk = (stream: SentChunk["stream"], offset: number, text: string): SentChunk => ({
    ...{ agent, run, seq: 0, epoch: 2, gap: "" },
    ...{ stream, offset, data: Buffer.from(text) },
  });
  const line = `${"x".repeat(99)}\n`;
  await writeChunks(database, [
    chunk("stderr", 0, "a needle at a prompt: "),
    ...Array.from({ length: 200 }, (_, n) => chunk("stdout", n * line.length, line)),
    chunk("stdout", 200 * line.length, "the other needle\n"),
  ]);
  const sources = openSources(database, run, { steps: [] });
  const places = { database, archive: undefined };
  const found: string[] = [];
  let from: SearchPlace | undefined = { after: 0, done: 0 };
  let pages = 0;
  while (from !== undefined && ++pages < 30) {
    // Each page looks at one batch of rows, far fewer than there are.
    const page = await searchLog(
      places,
      sources,
      { run },
      { wanted: { text: "needle" }, limit: 10, from },
      1,
    );
    found.push(...page.items.map((item) => item.line));
    from = page.next;
  }
  expect(found).toEqual(["a needle at a prompt: ", "the other needle"]);
  expect(from).toBeUndefined();
});
