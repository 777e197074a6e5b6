import { hash as digest } from "node:crypto";
import type { Json, JsonObject } from "./resource.ts";

/** What was done or refused, by whom, from where. Never holds a secret. */
export interface AuditRecord {
  readonly revision: number;
  readonly at: string;
  readonly organization: string;
  readonly subject: string;
  readonly via: string;
  readonly address: string;
  readonly requestId: string;
  readonly operation: string;
  readonly outcome: "done" | "denied";
  readonly kind: string;
  readonly scope: string;
  readonly name: string;
  readonly uid: string | null;
  readonly reason: string;
  readonly detail: JsonObject;
}

/** A record's place in the chain of its organization. Both hashes in hex. */
export interface AuditLink {
  readonly previous: string;
  readonly hash: string;
}

/** What the first record of a chain names as the one before it. */
export const chainStart = "0".repeat(64);

/** SHA-256 over the hash before it, a line feed, and the record's text: whoever changes a record changes all after it. */
export function linkHash(previous: string, record: AuditRecord): string {
  return digest("sha256", `${previous}\n${recordText(record)}`, "hex");
}

/**
 * The one text of a record: a JSON array of its fields in this order, in the canonical form of RFC 8785 (keys sorted, no
 * spaces). Described in docs/audit.md; a change here breaks every chain there is.
 */
export function recordText(record: AuditRecord): string {
  const { revision, at, organization, subject, via, address, requestId } = record;
  const { operation, outcome, kind, scope, name, uid, reason, detail } = record;
  const who = [revision, at, organization, subject, via, address, requestId];
  const what = [operation, outcome, kind, scope, name, uid, reason];
  return `${JSON.stringify(["reeve/audit/1", ...who, ...what]).slice(0, -1)},${canonical(detail)}]`;
}

/**
 * Written by hand because an object would put keys that look like numbers first, and without lists of parts because every record
 * is sealed while callers are served.
 */
function canonical(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text && ","}${canonical(item)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort())
    text += `${text && ","}${JSON.stringify(key)}:${canonical(value[key] as Json)}`;
  return `{${text}}`;
}
