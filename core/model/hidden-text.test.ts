import { expect, test } from "vitest";
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

test("lines of a key are hidden one by one, the longest secret first, and what is too short is none", () => {
  expect(hideText("line of a key", ["first\nline of a key\n"])).toBe("***");
  expect(hideText("password", ["pass", "password", ""])).toBe("***");
  expect(hideText("ab", ["ab"])).toBe("ab");
});
