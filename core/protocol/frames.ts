/** What goes over a stream of Connect's: a byte of flags, four of length, the message. */
export interface Frame {
  readonly flags: number;
  readonly message: Buffer;
}

/** What came is no frame: nothing after it can be read. */
export class BrokenFrame extends Error {
  readonly reason: "too long" | "not whole";

  constructor(reason: BrokenFrame["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

const headBytes = 5;
const mostPieces = 1000;

export function frameOf(flags: number, message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + message.length);
  frame[0] = flags;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, headBytes);
  return frame;
}

/** The frames in what comes in, however it was cut on its way. */
export async function* framesOf(incoming: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Frame> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let wanted = headBytes;
  for await (const piece of incoming) {
    pieces.push(piece);
    bytes += piece.length;
    // A large message is put together once, not with each of its pieces; of very many small ones each would cost more than it holds.
    if (bytes < wanted) {
      if (pieces.length === mostPieces) pieces = [Buffer.concat(pieces)];
      continue;
    }
    let rest = pieces.length === 1 ? piece : Buffer.concat(pieces);
    for (wanted = sizeOf(rest, mostBytes); rest.length >= wanted; wanted = sizeOf(rest, mostBytes)) {
      const frame = { flags: rest[0] as number, message: rest.subarray(headBytes, wanted) };
      rest = rest.subarray(wanted);
      yield frame;
    }
    pieces = rest.length === 0 ? [] : [rest];
    bytes = rest.length;
  }
  if (bytes > 0) throw new BrokenFrame("not whole", "the last message is not whole");
}

/** Of the frame that begins here; of its head alone while that is not here. */
function sizeOf(rest: Buffer, mostBytes: number): number {
  if (rest.length < headBytes) return headBytes;
  const bytes = rest.readUInt32BE(1);
  if (bytes > mostBytes) throw new BrokenFrame("too long", `a message of more than ${mostBytes} bytes`);
  return headBytes + bytes;
}
