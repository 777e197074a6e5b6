export interface Part {
  readonly stream: "stdout" | "stderr";
  readonly data: Buffer;
}

/** What a container or a command writes: with a terminal it is one stream, otherwise two in one. */
export function partsOf(stream: AsyncIterable<Buffer>, tty: boolean): AsyncGenerator<Part> {
  return tty ? plainParts(stream) : framedParts(stream);
}

async function* plainParts(stream: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  for await (const data of stream) yield { stream: "stdout", data };
}

/** Before each piece, which stream it is of, three empty bytes, and its length. A long piece is told in parts. */
async function* framedParts(stream: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  let head = Buffer.alloc(0);
  let left = 0;
  let name: Part["stream"] = "stdout";
  for await (let chunk of stream) {
    while (chunk.length > 0) {
      if (left > 0) {
        yield { stream: name, data: chunk.subarray(0, left) };
        const taken = Math.min(left, chunk.length);
        left -= taken;
        chunk = chunk.subarray(taken);
        continue;
      }
      const missing = 8 - head.length;
      head = Buffer.concat([head, chunk.subarray(0, missing)]);
      chunk = chunk.subarray(missing);
      if (head.length < 8) continue;
      name = head[0] === 2 ? "stderr" : "stdout";
      left = head.readUInt32BE(4);
      head = Buffer.alloc(0);
    }
  }
}
