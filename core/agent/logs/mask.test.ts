import { formsOf } from "@reeve/model/hidden-text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openMask } from "./mask.ts";

/** What must come out, by the plainest means: every byte of every occurrence of every form. */
function expected(text: Buffer, hide: readonly string[]): Buffer {
  const masked = Buffer.from(text);
  for (const form of hide.flatMap(formsOf).map((one) => Buffer.from(one)))
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
      masked.fill(42, at, at + form.length);
  return masked;
}

/** Few letters, so that texts overlap, repeat and begin within each other. */
const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 60 });
const secrets = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 6 }), {
  maxLength: 4,
});

test("whatever the pieces, all of a text is masked and nothing else, at the same length", () => {
  fc.assert(
    fc.property(letters, secrets, fc.array(fc.nat(60)), (text, hide, cuts) => {
      const bytes = Buffer.from(text);
      const masking = openMask(hide).begin();
      const borders = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const pieces = borders.slice(1).map((end, index) => masking.push(bytes.subarray(borders[index], end)));
      expect(Buffer.concat([...pieces, masking.flush()])).toEqual(expected(bytes, hide));
    }),
    { numRuns: 2000 },
  );
});

test("what has been told never turns out to be the beginning of a text", () => {
  fc.assert(
    fc.property(letters, secrets, (text, hide) => {
      const bytes = Buffer.from(text);
      const masking = openMask(hide).begin();
      let told = Buffer.alloc(0);
      for (const byte of bytes) told = Buffer.concat([told, masking.push(Buffer.of(byte))]);
      expect(told).toEqual(expected(bytes, hide).subarray(0, told.length));
      expect(told.length + masking.waiting).toBe(bytes.length);
    }),
    { numRuns: 1000 },
  );
});

test("from any place, with the bytes before it, the rest is masked as if from the beginning", () => {
  fc.assert(
    fc.property(letters, secrets, fc.nat(60), (text, hide, place) => {
      const bytes = Buffer.from(text);
      const from = Math.min(place, bytes.length);
      const mask = openMask(hide);
      const masking = mask.begin(bytes.subarray(Math.max(0, from - mask.longest), from));
      const rest = Buffer.concat([masking.push(bytes.subarray(from)), masking.flush()]);
      expect(rest).toEqual(expected(bytes, hide).subarray(from));
    }),
    { numRuns: 2000 },
  );
});

test("a text is also found in JSON, in an address, in base64 at any place and line by line", () => {
  const secret = 'p"ss word/ü+&=?';
  const shown = (text: string) => {
    const masking = openMask([secret, "first line of a key\nsecond line of a key"]).begin();
    return Buffer.concat([masking.push(Buffer.from(text)), masking.flush()]).toString();
  };
  expect(shown(JSON.stringify({ secret }))).toBe(`{"secret":"${"*".repeat(17)}"}`);
  expect(shown(`https://x/?q=${encodeURIComponent(secret)}`)).toMatch(/^https:\/\/x\/\?q=\*+$/);
  for (const before of ["", "a", "ab", "user:"]) {
    const encoded = Buffer.from(`${before}${secret}:tail`).toString("base64");
    const core = Buffer.from(secret).toString("base64").slice(2, -4);
    expect(shown(encoded)).toMatch(/\*{16,}/);
    expect(shown(encoded)).not.toContain(core);
  }
  expect(shown("  second line of a key\r\n")).toBe(`  ${"*".repeat(20)}\r\n`);
});

test("a text of one or two characters is left alone, and no text leaves all as it is", () => {
  const masking = openMask(["a", "ab", ""]).begin();
  expect(masking.push(Buffer.from("abab")).toString()).toBe("abab");
});
