import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ageText, readIdentities } from "./age.ts";
import { encryptedIn, openFiles } from "./open-files.ts";
import { openedPath } from "./which.ts";

/** Files that the programs age 1.3 and sops 3.13 have made, and what sops itself makes of them. */
const bytes = (name: string) => readFileSync(join(import.meta.dirname, "fixtures", name));
const text = (name: string) => (name.endsWith(".age") ? ageText(bytes(name)) : bytes(name).toString("utf8"));
const identities = readIdentities(text("identity.txt"));

async function opened(name: string, changed = text(name), keys = identities): Promise<string> {
  const files = { [name]: changed };
  return (await openFiles(files, encryptedIn(files), keys))[openedPath(name)] ?? "";
}

describe("files of SOPS", () => {
  test.each(["values.yaml", "only.yaml"])("%s says what SOPS says", async (name) => {
    const asked = { intAsBigInt: true };
    expect(parse(await opened(name), asked)).toEqual(parse(text(`opened/${name}`), asked));
    expect(await opened(name)).toContain("multi: |\n");
  });

  test.each(["values.json", "token.txt"])("%s is what it was before SOPS, to the letter", async (name) => {
    expect(await opened(name)).toBe(text(`opened/${name}`));
  });

  test("a dotenv file loses its comments, and nothing else", async () => {
    expect(await opened("app.env")).toBe(text("opened/app.env").replace(/^#.*\n/m, ""));
  });

  test.each([
    [
      "a value that is not encrypted",
      (all: string) => all.replace("plain_unencrypted: seen", "plain_unencrypted: other"),
    ],
    [
      "a value in another's place",
      (all: string) => all.replace("port:", "swap:").replace("ratio:", "port:").replace("swap:", "ratio:"),
    ],
    ["a value that was left out", (all: string) => all.replace(/^ {4}port: .*\n/m, "")],
    [
      "a plain value instead of an encrypted one",
      (all: string) => all.replace(/^( {4}port: ).*$/m, "$15433"),
    ],
    ["no code", (all: string) => all.replace(/^ {4}mac: .*\n/m, "")],
  ])("%s is found by the code over all values", async (_, change) => {
    for (const name of ["values.yaml", ...(_.includes("encrypted one") ? ["only.yaml"] : [])]) {
      const changed = change(text(name));
      expect(changed).not.toBe(text(name));
      await expect(opened(name, changed)).rejects.toThrow(`${name} was changed after it was encrypted`);
    }
  });

  test("what cannot be opened says which file, why, and what to do", async () => {
    const strangers = readIdentities(
      "# mine\nAGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n",
    );
    const kms = text("values.yaml").replace(
      / {4}age:\n[\s\S]*?(?= {4}lastmodified)/,
      "    kms:\n        - arn: a\n",
    );
    await expect(opened("values.yaml", kms)).rejects.toThrow("values.yaml is encrypted for kms, not for age");
    await expect(opened("values.yaml", undefined, strangers)).rejects.toThrow(
      "no identity of the Repository opens it",
    );
    await expect(opened("app.ini")).rejects.toMatchObject({
      next: expect.stringContaining("YAML, JSON, dotenv"),
    });
  });
});

describe("files of age", () => {
  test.each(["binary.age", "armored.age"])("%s opens, and loses its ending", async (name) => {
    expect(await opened(name)).toBe(text("opened/token.txt"));
    expect(openedPath(name)).toBe(name.replace(".age", ""));
  });

  test("what cannot be opened says which file, and why", async () => {
    await expect(opened("other.age")).rejects.toThrow("other.age is encrypted for others");
    await expect(opened("broken.age", "nothing")).rejects.toThrow("broken.age is no file that age has made");
    expect(() => readIdentities("age1recipient")).toThrow("no age identity");
  });
});

test("other files are not taken for encrypted ones", () => {
  const files = {
    "a.yaml": "sops: 1\n",
    "b.env": "sops_mac=x\n",
    "c.json": '{ "sops": {} }',
    "d.txt": "ENC[AES256_GCM,",
  };
  expect(encryptedIn(files)).toEqual([]);
});
