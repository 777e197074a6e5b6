import type { CallFault } from "@reeve/sdk";
import { useEffect, useState } from "react";
import { asFault } from "./client.ts";

export interface Loaded<T> {
  /** The last answer; while a newer one is on its way the old one stays. */
  readonly value: T | undefined;
  readonly fault: CallFault | undefined;
}

/** What the server answers, asked again whenever the key changes: for what has no watch, with what changes along as the key. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, fault: undefined });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when to ask again
  useEffect(() => {
    const over = new AbortController();
    load(over.signal).then(
      (value) => over.signal.aborted || setLoaded({ value, fault: undefined }),
      (error: unknown) =>
        over.signal.aborted || setLoaded((before) => ({ ...before, fault: asFault(error) })),
    );
    return () => over.abort();
  }, [key]);
  return loaded;
}
