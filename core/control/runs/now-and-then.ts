import type { Shown } from "./live.ts";

/** Reads it once in this time at most, however often it is looked at. */
export function nowAndThen(ms: number, read: () => Promise<Shown>): () => Promise<Shown> {
  let last: { readonly at: number; readonly shown: Shown } | undefined;
  return async () => {
    if (last === undefined || performance.now() - last.at >= ms)
      last = { shown: await read(), at: performance.now() };
    return last.shown;
  };
}
