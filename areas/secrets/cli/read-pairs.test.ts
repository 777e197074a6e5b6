import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readEnvFile, readPairs } from "./read-pairs.ts";

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

test("a file such as .env is read as Compose reads it, but what it would put together of others is refused, unseen", () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-pairs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, ".env");
  writeFileSync(
    file,
    "# of the shop\nexport USER=ada # she\nPASSWORD='a # $5 b'\nTEXT=\"one\\ntwo\"\nEMPTY=\n",
  );
  expect(readEnvFile(file)).toEqual({ USER: "ada", PASSWORD: "a # $5 b", TEXT: "one\ntwo", EMPTY: "" });
  writeFileSync(file, "PASSWORD=s3cret\nURL=postgres://ada:${PASSWORD}@db\n");
  expect(() => readEnvFile(file)).toThrow(/^URL in \S+\.env seems to refer to another variable$/);
  writeFileSync(file, "nothing\n");
  expect(() => readEnvFile(file)).toThrow("has no line NAME=VALUE");
});
