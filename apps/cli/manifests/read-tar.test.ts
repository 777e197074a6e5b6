import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { collectFiles } from "./collect-files.ts";

const long = `${"a-folder-with-a-long-name/".repeat(8)}deep.yaml`;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "reeve-tar-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

function packed(format: string): string {
  const [from, to] = [folder(), folder()];
  for (const name of ["one.yaml", long, "notes.txt", "team/two.yml"]) {
    mkdirSync(dirname(join(from, name)), { recursive: true });
    writeFileSync(join(from, name), `text of ${name}`);
  }
  symlinkSync("/etc/passwd", join(from, "link.yaml"));
  const archive = join(to, "bundle.tar.gz");
  execFileSync("tar", ["czf", archive, `--format=${format}`, "-C", from, "."]);
  return archive;
}

const read = async (archive: string) =>
  (await collectFiles([archive], async () => "")).map(({ text }) => text);

test.each(["gnu", "pax", "ustar"])(
  "a compressed tar of the format %s is read, with long names, without links",
  async (format) => {
    const texts = ["text of one.yaml", "text of team/two.yml", `text of ${long}`];
    expect((await read(packed(format))).toSorted()).toEqual(texts.toSorted());
  },
);

test("what is no tar, is cut short or would unpack to too much is refused", async () => {
  const archive = packed("pax");
  writeFileSync(archive, gzipSync("not a tar, although it is long enough to be taken for one. ".repeat(20)));
  await expect(read(archive)).rejects.toThrow("not a tar");
  writeFileSync(archive, "not compressed");
  await expect(read(archive)).rejects.toThrow("cannot be read");
  writeFileSync(archive, gzipSync(Buffer.alloc(257 * 1024 * 1024)));
  await expect(read(archive)).rejects.toThrow("cannot be read");
});
