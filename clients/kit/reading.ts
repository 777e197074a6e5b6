import type { CallFault } from "@reeve/sdk";
import { useCallback, useEffect, useState } from "react";
import { asFault } from "./client.ts";

export interface Reading<Value> {
  readonly value: Value | undefined;
  readonly fault: CallFault | undefined;
  /** Reads it anew; what is shown stays until then. */
  readonly again: () => void;
}

/** Something that has no watch: read when the page opens, when `key` is another, and when it is asked for again. */
export function useReading<Value>(
  key: string,
  read: (signal: AbortSignal) => Promise<Value>,
): Reading<Value> {
  const [shown, setShown] = useState<{ key: string; value?: Value; fault?: CallFault }>({ key });
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read is named by its key
  useEffect(() => {
    const ending = new AbortController();
    read(ending.signal).then(
      (value) => ending.signal.aborted || setShown({ key, value }),
      (error: unknown) => ending.signal.aborted || setShown({ key, fault: asFault(error) }),
    );
    return () => ending.abort();
  }, [key, count]);
  const again = useCallback(() => setCount((before) => before + 1), []);
  const now = shown.key === key ? shown : undefined;
  return { value: now?.value, fault: now?.fault, again };
}
