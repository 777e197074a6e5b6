import { Fault } from "@reeve/model/fault";
import { hideShared } from "../finders.ts";

/** An error of an executor or of ours, as the person reads it who wrote the step. */
export function reasonOf(error: unknown, hide: readonly string[]): { why: string; final: boolean } {
  const message = error instanceof Error ? error.message : String(error);
  const next = error instanceof Fault && error.next ? `; ${error.next}` : "";
  return { why: hideShared(`${message}${next}`, hide), final: error instanceof Fault };
}
