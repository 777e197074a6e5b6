import { notifications } from "@mantine/notifications";
import { newUid } from "@reeve/model";
import type { CallFault } from "@reeve/sdk";
import { useRef, useState } from "react";
import { asFault } from "./client.ts";

export interface Acting<Args extends readonly unknown[], Result> {
  /** Does it once; a click while it is being done is not a second one. Undefined when it failed. */
  run(...args: Args): Promise<Result | undefined>;
  readonly busy: boolean;
  readonly fault: CallFault | undefined;
  forget(): void;
}

/**
 * Something a person does: the key that makes a repeat harmless is made once per click, what went wrong is kept to be shown,
 * and what went well is told.
 */
export function useAction<Args extends readonly unknown[], Result>(
  does: (idempotencyKey: string, ...args: Args) => Promise<Result>,
  told?: (result: Result) => string | undefined,
): Acting<Args, Result> {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<CallFault>();
  const going = useRef(false);
  async function run(...args: Args): Promise<Result | undefined> {
    if (going.current) return undefined;
    going.current = true;
    setBusy(true);
    setFault(undefined);
    try {
      const result = await does(newUid(), ...args);
      const message = told?.(result);
      if (message !== undefined) notifications.show({ message });
      return result;
    } catch (error) {
      setFault(asFault(error));
      return undefined;
    } finally {
      going.current = false;
      setBusy(false);
    }
  }
  return { run, busy, fault, forget: () => setFault(undefined) };
}
