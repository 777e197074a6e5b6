import { createReadStream } from "node:fs";
import { Fault } from "@reeve/model";

/** The JSON values of a text that comes in pieces, one on each line. */
export async function* readLines<Value>(
  chunks: AsyncIterable<Uint8Array>,
  source: string,
): AsyncGenerator<Value, void> {
  const decoder = new TextDecoder();
  let rest = "";
  let line = 0;
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      line++;
      if (text !== "") yield parse<Value>(text, source, line);
    }
  }
  if (rest !== "") yield parse<Value>(rest, source, line + 1);
}

export function readFileLines<Value>(file: string): AsyncGenerator<Value, void> {
  return readLines<Value>(createReadStream(file), file);
}

function parse<Value>(text: string, source: string, line: number): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    throw new Fault("invalid", `${source}:${line}: this is not a line of JSON`, {
      next: "give the file as Reeve has written it",
    });
  }
}
