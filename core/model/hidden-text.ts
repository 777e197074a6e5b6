import { type Finder, openFinder } from "./text-finder.ts";

export type { Finder, Found } from "./text-finder.ts";

const shortest = 3;
const shortestPart = 8;
/** What is longer is hidden by its parts: whole it would take ten times its length in memory, and make a log wait for its end. */
const mostWhole = 4096;
/** How `openssl` and `base64` break it; the last are also all of one that is not broken. */
const base64Lines = [64, 76];

/**
 * The ways in which a text that must not be seen is likely to be printed: as it is, line by line, within JSON, and within base64 (as
 * in a header of basic authentication), also when that is broken into lines. That all of these may stand in an address is the
 * finder's part; only a space is something else in a form. The white space around it is no secret, and shorter than three
 * characters nothing is: to mask it would only tell where it stands. What a body makes of a secret otherwise (reverses it, cuts it
 * into pieces) is not recognised.
 */
export function formsOf(text: string): string[] {
  const whole = text.trim();
  if (whole.length < shortest) return [];
  const lines = whole.split("\n").map((line) => line.trim());
  const parts = lines.filter((line) => line.length >= shortestPart).flatMap(cut);
  const all = whole.length > mostWhole ? longParts(whole) : [whole];
  return [...new Set([...all, ...parts].flatMap(partForms).concat(brokenBase64(text)))];
}

/** Finds these texts in all of their forms. */
export function finderOf(hide: readonly string[]): Finder {
  const encoder = new TextEncoder();
  return openFinder([...new Set(hide.flatMap(formsOf))].map((form) => encoder.encode(form)));
}

/** Words that come from outside, or from a body, without the secrets that they were given. */
export function hideText(text: string, hide: readonly string[]): string {
  return hideFound(text, finderOf(hide));
}

/** What is found, and touches or overlaps, is hidden as one. */
export function hideFound(text: string, finder: Finder): string {
  if (finder.longest === 0) return text;
  const bytes = new TextEncoder().encode(text);
  const runs: [number, number][] = [];
  const found = (from: number, to: number) => {
    runs.push([from, to]);
  };
  finder.begin().look(bytes, 0, found, true);
  if (runs.length === 0) return text;
  const decoder = new TextDecoder();
  let shown = "";
  let hiddenTo = -1;
  for (const [from, to] of runs.sort(([a], [b]) => a - b)) {
    if (from > hiddenTo) shown += `${decoder.decode(bytes.subarray(Math.max(0, hiddenTo), from))}***`;
    hiddenTo = Math.max(hiddenTo, to);
  }
  return shown + decoder.decode(bytes.subarray(hiddenTo));
}

function partForms(part: string): string[] {
  const forms = [part, part.replaceAll(" ", "+"), JSON.stringify(part).slice(1, -1)];
  return [...forms, ...base64Of(new TextEncoder().encode(part)).flatMap(inAddresses)];
}

/** Its lines, with short ones beside them: so all of it is hidden where all of it is printed. */
function longParts(whole: string): string[] {
  const parts: string[] = [];
  for (const line of whole.split(/(?<=\n)/)) {
    const last = parts.at(-1);
    const isShort = [line, last ?? line].some((one) => one.trim().length < shortestPart);
    if (last !== undefined && isShort) parts[parts.length - 1] = last + line;
    else parts.push(line);
  }
  return parts.flatMap((part) => cut(part.trim()));
}

/** In pieces that are not too long, and of which none is short; not within a character. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > mostWhole) {
    const half = text.slice(from, from + mostWhole / 2);
    const piece = half.isWellFormed() ? half : half.slice(0, -1);
    pieces.push(piece);
    from += piece.length;
  }
  return [...pieces, text.slice(from)];
}

/** Base64 of the bytes at each of the three places in a group that they can have, without what depends on their neighbours. */
function base64Of(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((before) => base64At(before, bytes)).filter((part) => part.length >= shortestPart);
}

function base64At(before: number, bytes: Uint8Array): string {
  const text = "\0".repeat(before) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const first = Math.ceil((before * 8) / 6);
  return btoa(text).slice(first, Math.floor((text.length * 8) / 6));
}

/** Base64 of a whole file, line by line. A last line that is short is hidden together with the one before it. */
function brokenBase64(text: string): string[] {
  const encoded = base64At(0, new TextEncoder().encode(text));
  return base64Lines.flatMap((length) => {
    const lines = encoded.match(new RegExp(`.{1,${length}}`, "g")) ?? [];
    const [before = "", last = ""] = lines.slice(-2);
    const ends = last.length < shortestPart ? [before + last, `${before}\n${last}`] : [last];
    return [...lines.slice(0, -1), ...ends]
      .filter((line) => line.length >= shortestPart)
      .flatMap(inAddresses);
  });
}

/** Base64 also with the letters that addresses have. */
function inAddresses(base64: string): string[] {
  return [base64, base64.replaceAll("+", "-").replaceAll("/", "_")];
}
