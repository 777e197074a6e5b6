import type { AuditEntry, Sql } from "@reeve/store";
import type { Asking } from "../context.ts";
import type { Tools } from "../controller.ts";
import { repeatOf } from "./repeat.ts";

/**
 * Does what changes no resource, such as opening a session, together with its audit row. With a key, a repeated request does
 * nothing again: what it answers must be read from what is there.
 */
export async function record(
  { lane }: Pick<Tools, "lane">,
  {
    caller,
    origin,
    idempotency,
  }: Pick<Asking, "caller" | "origin"> & { idempotency?: Asking["idempotency"] },
  deed: Omit<AuditEntry, "outcome">,
  also: (sql: Sql) => Promise<void>,
): Promise<void> {
  await lane.submit({
    author: { caller, origin, reason: "" },
    needs: [],
    ...repeatOf({ caller, idempotency }),
    decide: () => ({ writes: [], audit: [{ ...deed, outcome: "done" }], also }),
  });
}
