import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { type Desk, Usage } from "@reeve/sdk/cli";

/** Reads `key=value`, `key=@file`, `key=-` for stdin, and `key` alone, which asks. */
export async function readPairs(
  desk: Pick<Desk, "ask" | "stdin">,
  words: readonly string[],
): Promise<Record<string, string>> {
  if (words.filter((word) => word.endsWith("=-")).length > 1) throw new Usage("stdin can be read only once");
  const values: [string, string][] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    const key = at < 0 ? word : word.slice(0, at);
    if (key === "") throw new Usage("a value without a key", "write KEY=VALUE, KEY=@FILE, KEY=- or KEY");
    values.push([key, at < 0 ? await askFor(desk, key) : await readValue(desk, word.slice(at + 1))]);
  }
  if (new Set(values.map(([key]) => key)).size < values.length) throw new Usage("a key is given twice");
  return Object.fromEntries(values);
}

/** Reads the pairs of a file such as `.env`. What Compose would put together of others is not guessed at. */
export function readEnvFile(file: string): Record<string, string> {
  const values = Object.entries(parseEnv(readText(file))) as [string, string][];
  if (values.length === 0) throw new Usage(`${file} has no line NAME=VALUE`);
  const made = values.find(([, value]) => /\$[A-Za-z_{]/.test(value));
  if (made !== undefined)
    throw new Usage(
      `${made[0]} in ${file} seems to refer to another variable`,
      `take it out of the file, and give its whole value as ${made[0]}=- on stdin`,
    );
  return Object.fromEntries(values);
}

async function readValue(desk: Pick<Desk, "stdin">, text: string): Promise<string> {
  // Whoever pipes a password with `echo` does not mean the end of the line; a file is taken as it is.
  if (text === "-") return (await desk.stdin()).replace(/\r?\n$/, "");
  return text.startsWith("@") ? readText(text.slice(1)) : text;
}

function readText(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    throw new Usage(
      error instanceof TypeError
        ? `${file} is not text in UTF-8`
        : `${file} cannot be read: ${(error as Error).message}`,
      error instanceof TypeError ? "encode it first, for example with base64" : undefined,
    );
  }
}

function askFor(desk: Pick<Desk, "ask">, key: string): Promise<string> {
  return desk.ask.secret(`Value of ${key}`, { instead: `give it as ${key}=@FILE, or ${key}=- for stdin` });
}
