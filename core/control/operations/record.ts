import type { AuditEntry, Author, Sql } from "@reeve/store";
import type { Tools } from "../controller.ts";

/** Does what changes no resource, such as opening a session, together with its audit row. */
export async function record(
  { lane }: Pick<Tools, "lane">,
  { caller, origin }: Pick<Author, "caller" | "origin">,
  deed: Omit<AuditEntry, "outcome">,
  also: (sql: Sql) => Promise<void>,
): Promise<void> {
  await lane.submit({
    author: { caller, origin, reason: "" },
    needs: [],
    decide: () => ({ writes: [], audit: [{ ...deed, outcome: "done" }], also }),
  });
}
