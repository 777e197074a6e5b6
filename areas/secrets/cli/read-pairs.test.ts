import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readPairs } from "./read-pairs.ts";

const desk = {
  stdin: async () => "from stdin\n",
  ask: {
    text: async () => "",
    secret: async (question: string) => `asked: ${question}`,
    confirm: async () => false,
  },
};

test("a value stands in the word, in a file, on stdin, or is asked for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-pairs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "key"), "-----BEGIN-----\n");
  writeFileSync(join(folder, "binary"), Buffer.from([0xff, 0xfe]));
  expect(
    await readPairs(desk, ["a=b=c", `file=@${join(folder, "key")}`, "piped=-", "asked", "empty="]),
  ).toEqual({
    a: "b=c",
    file: "-----BEGIN-----\n",
    piped: "from stdin",
    asked: "asked: Value of asked",
    empty: "",
  });
  await expect(readPairs(desk, [`x=@${join(folder, "binary")}`])).rejects.toThrow("is not text in UTF-8");
  await expect(readPairs(desk, [`x=@${join(folder, "none")}`])).rejects.toThrow("cannot be read");
  await expect(readPairs(desk, ["a=-", "b=-"])).rejects.toThrow("only once");
  await expect(readPairs(desk, ["a=1", "a=2"])).rejects.toThrow("twice");
});
