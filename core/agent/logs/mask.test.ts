import { createHash } from "node:crypto";
import { finderOf, formsOf } from "@reeve/model/hidden-text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openMask } from "./mask.ts";

/** What must come out, by the plainest means: every byte of every occurrence of every form, also where bytes stand as `%XX`. */
function expected(text: Buffer, hide: readonly string[]): Buffer {
  const masked = Buffer.from(text);
  const { bytes, places } = decoded(text);
  for (const form of hide.flatMap(formsOf).map((one) => Buffer.from(one))) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
      masked.fill(42, at, at + form.length);
    for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1))
      masked.fill(42, places[at], places[at + form.length]);
  }
  return masked;
}

/** And where each of its bytes stood, and the end. */
function decoded(text: Buffer): { bytes: Buffer; places: number[] } {
  const symbols = [...text.toString("latin1").matchAll(/%[0-9a-f]{2}|./gis)];
  const byteOf = (symbol: string) =>
    symbol.length === 1 ? symbol.charCodeAt(0) : Number.parseInt(symbol.slice(1), 16);
  return {
    bytes: Buffer.from(symbols.map(([symbol]) => byteOf(symbol))),
    places: [...symbols.map(({ index }) => index), text.length],
  };
}

/** Few letters, so that texts overlap, repeat and begin within each other; some of them as in an address, or nearly. */
const written = ["a", "b", "c", "%61", "%62", "%", "6", "1", "%6"];
const letters = fc.string({ unit: fc.constantFrom(...written), maxLength: 60 });
const secrets = fc.array(
  fc.string({ unit: fc.constantFrom("a", "b", "c", "1", "%"), minLength: 1, maxLength: 6 }),
  { maxLength: 4 },
);

test("whatever the pieces, all of a text is masked and nothing else, at the same length", () => {
  fc.assert(
    fc.property(letters, secrets, fc.array(fc.nat(150)), (text, hide, cuts) => {
      const bytes = Buffer.from(text);
      const masking = openMask(finderOf(hide)).begin();
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
      const masking = openMask(finderOf(hide)).begin();
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
    fc.property(letters, secrets, fc.nat(150), (text, hide, place) => {
      const bytes = Buffer.from(text);
      const from = Math.min(place, bytes.length);
      const mask = openMask(finderOf(hide));
      const masking = mask.begin(bytes.subarray(Math.max(0, from - mask.longest), from));
      const rest = Buffer.concat([masking.push(bytes.subarray(from)), masking.flush()]);
      expect(rest).toEqual(expected(bytes, hide).subarray(from));
    }),
    { numRuns: 2000 },
  );
});

test("from any place within a text in an address, the rest of it is masked", () => {
  const address = Buffer.from("?a=%61%62%63%64%65%66%67%68%69&b");
  const mask = openMask(finderOf(["abcdefghi"]));
  for (let from = 0; from <= address.length; from++) {
    const masking = mask.begin(address.subarray(Math.max(0, from - mask.longest), from));
    const rest = Buffer.concat([masking.push(address.subarray(from)), masking.flush()]);
    expect(rest.toString()).toBe(`?a=${"*".repeat(27)}&b`.slice(from));
  }
});

test("a text is also found in JSON, in an address, in base64 at any place and line by line", () => {
  const secret = 'p"ss word/ü+&=?';
  const shown = (text: string) => {
    const masking = openMask(finderOf([secret, "first line of a key\nsecond line of a key"])).begin();
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
  const masking = openMask(finderOf(["a", "ab", ""])).begin();
  expect(masking.push(Buffer.from("abab")).toString()).toBe("abab");
});

/** As of a public authority's: lines of 64, each another. */
function bundleOf(length: number): string {
  let text = "";
  for (let cert = 0; text.length < length; cert++) {
    const lines = Array.from({ length: 25 }, (_, line) =>
      createHash("sha384").update(`${cert} ${line}`).digest("base64"),
    );
    text += `# ${cert}\n-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\nab==\n-----END CERTIFICATE-----\n`;
  }
  return text;
}

test("a bundle of 200 KB is masked, in base64 too, and takes memory by its length", () => {
  const bundle = bundleOf(200 * 1024);
  const finder = finderOf([bundle]);
  const mask = openMask(finder);
  const shown = (text: string) => {
    const masking = mask.begin();
    const pieces = text.match(/.{1,65536}/gs)?.map((piece) => masking.push(Buffer.from(piece))) ?? [];
    return Buffer.concat([...pieces, masking.flush()]).toString();
  };
  expect(shown(`${bundle}tail`)).toMatch(/^[*\n]+tail$/);
  expect(shown(JSON.stringify({ bundle }))).toMatch(/^\{"bundle":"(\*|\\n)+"\}$/);
  expect(shown(encodeURIComponent(bundle))).toMatch(/^(\*|%0A)+$/);
  // Its short lines are hidden where they stand, and nowhere else.
  expect(shown("ab== ab==\n")).toBe("ab== ab==\n");
  const base64 = Buffer.from(bundle).toString("base64");
  // As a Kubernetes Secret prints it, openssl, and base64.
  expect(shown(`ca.crt: ${base64}\n`)).toMatch(/^ca\.crt: \*+.?={0,2}\n$/);
  for (const length of [64, 76])
    expect(shown(base64.replace(new RegExp(`.{${length}}`, "g"), "$&\n"))).toMatch(/^[*\n]+.?={0,2}\n?$/);
  expect(finder.tableBytes).toBeLessThan(100 * bundle.length);
  expect(finderOf([bundleOf(50 * 1024)]).tableBytes).toBeGreaterThan(finder.tableBytes / 5);
  // So much of a log waits at most, and is read again from the middle of it.
  expect(finder.longest).toBeLessThan(4096);
});

test("a text that is given again, or as a line of another, takes hardly more memory", () => {
  const bundle = bundleOf(10 * 1024);
  const once = finderOf([bundle]).tableBytes;
  expect(finderOf([bundle, bundle, ...bundle.split("\n")]).tableBytes).toBeLessThan(once * 1.4);
});

test("a long text of one line, and one of short lines, are masked too", () => {
  const line = Buffer.from(bundleOf(150 * 1024)).toString("base64");
  const pins = Array.from({ length: 5000 }, (_, pin) => `${pin * 7919}`.slice(-5).padStart(5, "0")).join(
    "\n",
  );
  for (const secret of [line, pins, "ü🙂é".repeat(3000)]) {
    const finder = finderOf([secret]);
    const masking = openMask(finder).begin();
    expect(masking.push(Buffer.from(`<${secret}>`)).toString()).toMatch(/^<[*\n]+>$/);
    expect(finder.tableBytes).toBeLessThan(100 * secret.length + 100_000);
    expect(finder.longest).toBeLessThan(128 * 1024);
  }
});
