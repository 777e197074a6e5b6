import { hash } from "node:crypto";
import { Fault, invalidField, type Scope } from "@reeve/model";
import type { Asking } from "../../context.ts";
import type { ListRequest } from "../../operations/list.ts";
import type { Arrival } from "../gate.ts";
import type { Target } from "./address.ts";

export type Query = Readonly<Record<string, unknown>>;

const auditFilters = ["scope", "since", "until", "subject", "kind", "name", "operation", "outcome"];

const known = {
  list: ["labels", "fields", "limit", "continue", "deep", "watch"],
  watch: ["labels", "fields", "deep", "watch", "since"],
  mutation: ["dryRun", "reason"],
  removal: ["dryRun", "reason", "force"],
  history: ["limit", "before"],
  audit: [...auditFilters, "limit", "continue"],
  auditExport: [...auditFilters, "format"],
} as const;

/** A misspelt parameter would silently change the meaning of a request, so it is refused. */
export function checkQuery(query: Query, which: keyof typeof known | "none"): void {
  const allowed: readonly string[] = which === "none" ? [] : known[which];
  for (const name of Object.keys(query))
    if (!allowed.includes(name))
      throw new Fault("invalid", `unknown query parameter ${JSON.stringify(name.slice(0, 80))}`, {
        errors: [{ pointer: `?${name.slice(0, 80)}`, message: "unknown parameter" }],
        next: allowed.length > 0 ? `known here: ${allowed.join(", ")}` : "leave it out",
      });
}

export function text(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.includes("\0"))
    throw invalidField(`?${name}`, "give it once, as plain text");
  return value;
}

export function flag(query: Query, name: string): boolean {
  const value = text(query, name);
  if (value === undefined || value === "false") return false;
  if (value === "true" || value === "") return true;
  throw invalidField(`?${name}`, "write true or false");
}

export function whole(query: Query, name: string, least: number, most: number): number | undefined {
  const value = text(query, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d{1,16}$/.test(value) && number >= least && number <= most) return number;
  throw invalidField(`?${name}`, `write a whole number from ${least} to ${most}`);
}

export function listRequest(target: Target, query: Query): ListRequest {
  return {
    kind: target.kind.name,
    scope: target.scope as Scope,
    deep: flag(query, "deep"),
    labels: text(query, "labels") ?? "",
    fields: text(query, "fields") ?? "",
  };
}

export interface Mutating {
  readonly method: string;
  readonly url: string;
  readonly rawBody: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: Query;
}

/** The conditions of a change, from its headers and query. */
export function askingOf({ caller, origin }: Arrival, request: Mutating): Asking {
  const reason = text(request.query, "reason") ?? "";
  if (reason.length > 500) throw invalidField("?reason", "use at most 500 characters");
  const ifMatch = revisionTag(request.headers["if-match"]);
  const idempotency = idempotencyOf(request);
  return {
    caller,
    origin,
    reason,
    dryRun: flag(request.query, "dryRun"),
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(isNew(request.headers["if-none-match"]) ? { ifNoneMatch: true } : {}),
    ...(idempotency === undefined ? {} : { idempotency }),
  };
}

export function idempotencyOf(request: Omit<Mutating, "query">): Asking["idempotency"] {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,200}$/.test(key))
    throw invalidField("Idempotency-Key", "use 1 to 200 printable characters without spaces");
  return { key, fingerprint: fingerprint(request) };
}

function isNew(header: string | string[] | undefined): boolean {
  if (header === undefined || header === "*") return header !== undefined;
  throw invalidField("If-None-Match", "a change takes only If-None-Match: *, which refuses when it exists");
}

function revisionTag(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const revision = /^"?(\d{1,16})"?$/.exec(String(header))?.[1];
  if (revision === undefined)
    throw invalidField("If-Match", 'write the revision that you read, as in If-Match: "812"');
  return Number(revision);
}

function fingerprint({ method, url, rawBody }: Omit<Mutating, "query">): string {
  return hash("sha256", `${method} ${url}\n${rawBody}`, "base64");
}
