import { Fault } from "@reeve/model/fault";
import { hideText } from "@reeve/model/hidden-text";

/** An error of an executor or of ours, as the person reads it who wrote the step. */
export function reasonOf(error: unknown, hide: readonly string[]): { why: string; final: boolean } {
  const message = error instanceof Error ? error.message : String(error);
  const next = error instanceof Fault && error.next ? `; ${error.next}` : "";
  return { why: hideText(`${message}${next}`, hide), final: error instanceof Fault };
}
