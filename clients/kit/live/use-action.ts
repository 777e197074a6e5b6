import { newUid } from "@reeve/model";
import type { CallFault, Mutation } from "@reeve/sdk";
import { useRef, useState } from "react";
import { asFault } from "../client.ts";
import { tell, tellFault } from "../ui/notify.tsx";

/** What a button or a dialog does. */
export interface Change<T> extends Ending<T> {
  readonly run: (options: Required<Pick<Mutation, "idempotencyKey">>) => Promise<T>;
}

interface Ending<T> {
  /** What is said when it worked: "The run is cancelled". */
  readonly done?: string | ((result: T) => string);
  readonly onDone?: (result: T) => void;
}

interface Options<T> extends Ending<T> {
  /** The page shows the fault by itself, such as beside the fields of a form. */
  readonly quiet?: boolean;
}

export interface Action {
  readonly busy: boolean;
  readonly fault: CallFault | undefined;
  /**
   * Does it: once for each click, however often its request has to be sent. Resolves to whether it worked; what went
   * wrong is told.
   */
  run<T>(change: Change<T>["run"], options?: Options<T>): Promise<boolean>;
}

/** A change that a person asks for. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<CallFault>();
  const under = useRef(false);
  return {
    busy,
    fault,
    async run(change, { done, onDone, quiet } = {}) {
      if (under.current) return false;
      under.current = true;
      setBusy(true);
      setFault(undefined);
      try {
        const options = { idempotencyKey: newUid() };
        const result = await change(options);
        if (done !== undefined) tell(typeof done === "string" ? done : done(result));
        onDone?.(result);
        return true;
      } catch (error) {
        const fault = asFault(error);
        setFault(fault);
        if (!quiet) tellFault(fault);
        return false;
      } finally {
        under.current = false;
        setBusy(false);
      }
    },
  };
}
