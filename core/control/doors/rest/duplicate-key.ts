import { escapePointer } from "@reeve/model";

/**
 * The pointer to the first key that an object in this JSON text has twice, or undefined. Parsers keep the last one
 * silently, and two readers that keep different ones can be played off against each other. The text must be valid JSON.
 */
export function duplicateKey(text: string): string | undefined {
  const open: Frame[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "{") open.push({ keys: new Set(), key: "", expectsKey: true });
    else if (char === "[") open.push({ keys: undefined, key: 0, expectsKey: false });
    else if (char === "}" || char === "]") open.pop();
    else if (char === ",") next(open.at(-1) as Frame);
    else if (char === '"') {
      const end = endOfString(text, at);
      const frame = open.at(-1);
      if (frame?.expectsKey && frame.keys !== undefined) {
        frame.key = readKey(text.slice(at, end + 1));
        if (frame.keys.has(frame.key))
          return open.map(({ key }) => `/${escapePointer(String(key))}`).join("");
        frame.keys.add(frame.key);
        frame.expectsKey = false;
      }
      at = end;
    }
  }
  return undefined;
}

/** An object or array that has begun. `key` is where we are in it. */
interface Frame {
  readonly keys: Set<string> | undefined;
  key: string | number;
  expectsKey: boolean;
}

function next(frame: Frame): void {
  if (typeof frame.key === "number") frame.key++;
  else frame.expectsKey = true;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (backslashesBefore(text, end) % 2 === 1) end = text.indexOf('"', end + 1);
  return end;
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (text[at - 1 - count] === "\\") count++;
  return count;
}

/** Two spellings of one key are one key. */
function readKey(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
