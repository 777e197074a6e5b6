import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { hideText } from "./hidden-text.ts";

const secret = 'hush "ü" 4711';
const encoded = (text: string, as: BufferEncoding) => Buffer.from(text).toString(as);

test.each([
  ["as it is", secret, "***"],
  ["in JSON", JSON.stringify({ secret }), '{"secret":"***"}'],
  ["in an address", `?key=${encodeURIComponent(secret)}`, "?key=***"],
  ["in a form", `key=${encodeURIComponent(secret).replaceAll("%20", "+")}`, "key=***"],
])("a secret is hidden %s", (_, text, shown) => {
  expect(hideText(text, [secret])).toBe(shown);
});

test("a secret is hidden within base64, whatever stands before it", () => {
  for (const before of ["", "a", "ab", "abc"])
    for (const as of ["base64", "base64url"] as const) {
      const text = encoded(`${before}${secret}`, as);
      const shown = hideText(text, [secret]);
      expect(shown).toMatch(/^[\w+/-]{0,5}\*\*\*[\w+/-]{0,2}=*$/);
    }
});

/** What makes programs differ: each leaves other characters alone. */
const inAddress = "p@ss!w'o(r)d*/~+$&=,;: ü%25";
const escaped = (text: string, alone: RegExp) =>
  text.replace(/./gsu, (letter) =>
    alone.test(letter)
      ? letter
      : [...Buffer.from(letter)]
          .map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`)
          .join(""),
  );

test.each([
  ["encodeURIComponent", encodeURIComponent(inAddress)],
  ["a form", new URLSearchParams({ "": inAddress }).toString().slice(1)],
  ["Go's url.QueryEscape", escaped(inAddress, /[\w.~-]/).replaceAll("%20", "+")],
  ["Go's url.PathEscape", escaped(inAddress, /[\w.~$&+:=@-]/)],
  ["Go's password in an address", escaped(inAddress, /[\w.~$&+,;=-]/)],
  ["one that encodes everything", escaped(inAddress, /^$/)],
])("a secret is hidden in an address by %s, in capitals and small letters", (_, address) => {
  const small = address.replace(/%../g, (one) => one.toLowerCase());
  for (const text of [address, small]) expect(hideText(`?a=${text}&b`, [inAddress])).toBe("?a=***&b");
});

describe("what Python prints", needs("python"), () => {
  test.each(["quote", "quote_plus", "quote-all"])("a secret is hidden in an address by %s", (how) => {
    const call = how === "quote-all" ? 'quote(sys.argv[1], safe="")' : `${how}(sys.argv[1])`;
    const script = `import sys; from urllib.parse import *; print("?a=" + ${call})`;
    const { stdout } = spawnSync("python3", ["-c", script, inAddress], { encoding: "utf8" });
    expect(stdout).toContain("p%40ss%21w");
    expect(hideText(stdout, [inAddress])).toBe("?a=***\n");
  });
});

test("what only looks like an address, and what it stands for, are not confused", () => {
  expect(hideText("100%hush %hus%6", ["hush"])).toBe("100%*** %hus%6");
  expect(hideText("%deadbeef", ["deadbeef"])).toBe("%***");
  expect(hideText("50%25", ["50%"])).toBe("***");
  expect(hideText("%68%75%7", ["hush", "hu%7"])).toBe("***");
});

test("a file in base64 is hidden line by line, as programs break it", () => {
  const file = Array.from({ length: 30 }, (_, line) => `${line} of the file, ${line * line}`).join("\n");
  for (const length of [64, 76])
    for (const text of [file, `${file}\n`, `${file} ab`]) {
      const lines = encoded(text, "base64").match(new RegExp(`.{1,${length}}`, "g")) ?? [];
      expect(hideText(lines.join("\n"), [text])).toMatch(/^(\*{3}\n)*\*{3}.?={0,2}$/);
    }
});

test("lines of a key are hidden one by one, the longest secret first, and what is too short is none", () => {
  expect(hideText("line of a key", ["first\nline of a key\n"])).toBe("***");
  expect(hideText("password", ["pass", "password", ""])).toBe("***");
  expect(hideText("ab", ["ab"])).toBe("ab");
});
