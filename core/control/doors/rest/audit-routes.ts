import { Readable } from "node:stream";
import { invalidField, isName, parseScope, readInput } from "@reeve/model";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { type ExportFormat, exportFormats, exportLine } from "../../audit/formats.ts";
import type { Context } from "../../context.ts";
import { type AuditQuery, auditHeads, exportAudit, proveAudit, readAudit } from "../../operations/audit.ts";
import { checkQuery, type Query, text, whole } from "./query.ts";

const verification = z.strictObject({
  organization: z
    .string()
    .refine((given) => given === "" || isName(given), { error: "name one organization" })
    .optional(),
});
const contentTypes = { jsonl: "application/jsonl", cef: "text/plain; charset=utf-8" };

/** The audit: reading, taking it out, proving it. The operations decide by the scopes in which the caller holds `audit:read`. */
export function auditRoutes(app: FastifyInstance, context: Context, version: string): void {
  const config = { demand: "operation" as const };

  app.get("/api/v1/audit", { config }, (request) => {
    const query = request.query as Query;
    checkQuery(query, "audit");
    const limit = whole(query, "limit", 1, 1000) ?? 100;
    const before = whole(query, "continue", 1, Number.MAX_SAFE_INTEGER);
    return readAudit(context, request.arrival, auditQuery(query), limit, before);
  });

  app.get("/api/v1/audit/export", { config }, async (request, reply) => {
    const query = request.query as Query;
    checkQuery(query, "auditExport");
    const format = oneOf(query, "format", exportFormats) ?? "jsonl";
    const records = await exportAudit(context, request.arrival, auditQuery(query));
    reply.type(contentTypes[format]).header("cache-control", "no-store");
    return reply.send(Readable.from(lines(records, format, version)));
  });

  app.get("/api/v1/audit/heads", { config }, async (request) => {
    checkQuery(request.query as Query, "none");
    return { items: await auditHeads(context, request.arrival) };
  });

  app.post("/api/v1/audit/verify", { config }, async (request) => {
    checkQuery(request.query as Query, "none");
    const { organization } = readInput(verification, request.body ?? {});
    const items = await proveAudit(context, request.arrival, organization);
    return { intact: items.every((proof) => proof.findings.length === 0), items };
  });
}

async function* lines(
  parts: Awaited<ReturnType<typeof exportAudit>>,
  format: ExportFormat,
  version: string,
): AsyncGenerator<string, void> {
  for await (const records of parts)
    if (records.length > 0) yield records.map((record) => exportLine(format, record, version)).join("");
}

function auditQuery(query: Query): AuditQuery {
  const scope = text(query, "scope");
  return {
    scope: scope === undefined ? undefined : parseScope(scope),
    since: time(query, "since"),
    until: time(query, "until"),
    subject: text(query, "subject"),
    kind: text(query, "kind"),
    name: text(query, "name"),
    operation: text(query, "operation"),
    outcome: oneOf(query, "outcome", ["done", "denied"]),
  };
}

function time(query: Query, name: string): string | undefined {
  const given = text(query, name);
  if (given === undefined || z.iso.datetime({ offset: true }).safeParse(given).success) return given;
  throw invalidField(`?${name}`, "write a time such as 2026-01-31T12:00:00Z");
}

function oneOf<Word extends string>(query: Query, name: string, words: readonly Word[]): Word | undefined {
  const given = text(query, name);
  const found = words.find((word) => word === given);
  if (given === undefined || found !== undefined) return found;
  throw invalidField(`?${name}`, `write ${words.join(" or ")}`);
}
