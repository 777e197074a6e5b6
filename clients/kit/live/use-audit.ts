import type { AuditQuery, AuditRecord } from "@reeve/sdk";
import { gatherAudit } from "./gather.ts";
import type { LiveList } from "./use-list.ts";
import { useWatched } from "./window-stream.ts";

/** The newest records of the audit that fit, newest first. */
export function useAudit(query: AuditQuery, limit: number): LiveList<AuditRecord> {
  const key = `audit ${JSON.stringify([query, limit])}`;
  const { value, ...rest } = useWatched(key, () => gatherAudit(query, limit));
  return { rows: value, ...rest };
}
