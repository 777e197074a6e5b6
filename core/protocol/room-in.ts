import type { Writable } from "node:stream";

/** Resolves when the reader has taken what was written, or is gone. */
export function roomIn(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      stream.off("drain", settle);
      stream.off("close", settle);
      resolve();
    };
    stream.on("drain", settle);
    stream.on("close", settle);
  });
}
