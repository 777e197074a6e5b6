import type { Scope } from "@reeve/model";
import type { AuditProof, AuditRecord, SignedHead } from "@reeve/model/audit";
import {
  type AuditFilter,
  auditedOrganizations,
  auditStretch,
  auditWithin,
  chainEnds,
  lastAudited,
  listAudit,
  nextAudited,
  type SealedRecord,
} from "@reeve/store";
import { verifyAudit } from "../audit/verify.ts";
import type { Context } from "../context.ts";
import { forbidden } from "../guard/authorise.ts";
import type { Reader } from "./get.ts";
import { heldScopes } from "./held-scopes.ts";
import { refuse } from "./mutate.ts";

/** What to read of the audit; without a scope, everything that the caller may. */
export type AuditQuery = Omit<AuditFilter, "scopes" | "openers"> & { readonly scope?: Scope | undefined };

export interface AuditPage {
  readonly items: readonly AuditRecord[];
  readonly continue?: string;
}

/** One page looks at no more records than this, however few of them fit: it may be short, and still go on. */
const lookedAt = 50_000;
const exportedAtOnce = 1000;

/** Records, newest first. */
export async function readAudit(
  context: Context,
  reader: Reader,
  query: AuditQuery,
  limit: number,
  before?: number,
): Promise<AuditPage> {
  return newestRecords(context, await filterOf(context, reader, query), limit, before);
}

/** The newest records before a revision that fit. */
export async function newestRecords(
  context: Context,
  filter: AuditFilter,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<AuditPage> {
  const stretch = await auditStretch(context.database, filter);
  const newest = await lastAudited(context.database, Math.min(before, stretch.before));
  const end = (newest ?? -1) + 1;
  const from = Math.max(stretch.from, end - lookedAt);
  const items = await listAudit(context.database, filter, { from, before: end }, limit);
  const next = items.length === limit ? items.at(-1)?.revision : from;
  return { items, ...(next !== undefined && next > stretch.from ? { continue: String(next) } : {}) };
}

/** Records up to now, oldest first, each with its place in the chain; some at a time, as they are asked for. */
export async function exportAudit(
  context: Context,
  reader: Reader,
  query: AuditQuery,
): Promise<AsyncGenerator<SealedRecord[], void>> {
  const filter = await filterOf(context, reader, query);
  const { from, before } = await auditStretch(context.database, filter);
  return (async function* () {
    let at = await nextAudited(context.database, from);
    while (at !== undefined && at < before) {
      const end = Math.min(before, at + exportedAtOnce);
      yield await auditWithin(context.database, filter, { from: at, before: end });
      at = await nextAudited(context.database, end);
    }
  })();
}

/** Where the chains that the caller may read begin and end. */
export async function auditHeads(context: Context, reader: Reader): Promise<SignedHead[]> {
  const organizations = await chainsFor(context, reader, "heads", undefined);
  const heads = await chainEnds(context.database, organizations);
  return heads.map(({ publishedAt: _, ...head }) => head);
}

/** Proves the chain of an organization, or all that the caller may read. */
export async function proveAudit(
  context: Context,
  reader: Reader,
  organization: string | undefined,
): Promise<AuditProof[]> {
  const chosen = await chainsFor(context, reader, "verify", organization);
  const organizations = chosen === "all" ? await auditedOrganizations(context.database) : chosen;
  const signer = await context.audit.signer();
  const proofs: AuditProof[] = [];
  for (const one of organizations) proofs.push(await verifyAudit(context.database, signer, one));
  return proofs;
}

export async function filterOf(context: Context, reader: Reader, query: AuditQuery): Promise<AuditFilter> {
  const { scope, ...rest } = query;
  const openers = context.registry.kinds.filter((kind) => kind.opensScope).map((kind) => kind.name);
  return { ...rest, openers, scopes: await readable(context, reader, "list", scope) };
}

/** A chain is proven whole or not at all, so a project's auditor has none. */
async function chainsFor(
  context: Context,
  reader: Reader,
  operation: string,
  organization: string | undefined,
): Promise<readonly string[] | "all"> {
  const scopes = await readable(context, reader, operation, organization);
  if (organization === undefined && scopes.includes("")) return "all";
  const whole = scopes.filter((scope) => !scope.includes("/"));
  if (whole.length > 0) return whole;
  const fault = forbidden("audit:read", organization ?? "");
  return refuse(context, reader, operation, { kind: "Audit", scope: "", name: "" }, fault);
}

/** The scopes of which the caller may read the audit, at or below the one that was asked for. */
function readable(
  context: Context,
  reader: Reader,
  operation: string,
  scope: Scope | undefined,
): Promise<Scope[]> {
  return heldScopes(context, reader, { operation, permission: "audit:read", kind: "Audit", scope });
}
