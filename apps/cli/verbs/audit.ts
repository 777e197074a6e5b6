import type { AuditRecord } from "@reeve/model/audit";
import type { AuditQuery } from "@reeve/sdk";
import { type AnyVerb, defineVerb, type OptionValues, text, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age } from "../output/age.ts";
import { readTime } from "../read-time.ts";
import { auditVerify } from "./audit-verify.ts";

const filters = {
  since: text("TIME", "From then on: 2h ago is `2h`, or 2026-01-31T12:00:00Z"),
  until: text("TIME", "Before then"),
  subject: text("SUBJECT", "By whom: user:ada, serviceaccount:acme/ci, anonymous"),
  kind: text("KIND", "Done to this kind", { completes: "kind" }),
  name: text("NAME", "Done to this name"),
  operation: text("OPERATION", "apply, delete, sign-in, …"),
  outcome: text("OUTCOME", "done or denied", { completes: ["done", "denied"] }),
};

const list = defineVerb<CliDesk>()({
  name: "audit list",
  standard: true,
  group: "read",
  summary: "Show who did what, and what was refused, newest first",
  options: { ...filters, limit: text("N", "At most so many; 50 when left out") },
  example: "reeve audit --since 2h --outcome denied\nreeve audit --subject user:ada --kind project",
  async run(desk, { options }) {
    const limit = readLimit(options.limit ?? "50");
    const records: AuditRecord[] = [];
    for await (const record of (await desk.client()).audit.list(await queryOf(desk, options), limit)) {
      records.push(record);
      if (records.length === limit) break;
    }
    if (await desk.data({ items: records })) return 0;
    if (records.length === 0) desk.say("nothing is recorded that fits");
    else if (desk.flags.output === "wide") desk.table(wideTitles, records.map(wideRow));
    else desk.table(titles, records.map(row));
    return 0;
  },
});

const takeOut = defineVerb<CliDesk>()({
  name: "audit export",
  group: "read",
  summary: "Write records as lines to stdout, oldest first",
  options: {
    ...filters,
    format: text("FORMAT", "jsonl or cef; jsonl when left out", { completes: ["jsonl", "cef"] }),
  },
  example: "reeve audit export > audit.jsonl\nreeve audit export --since 24h --format cef",
  async run(desk, { options }) {
    const format = options.format ?? "jsonl";
    if (format !== "jsonl" && format !== "cef")
      throw new Usage(`--format takes jsonl or cef, not ${JSON.stringify(format)}`);
    const decoder = new TextDecoder();
    const chunks = (await desk.client()).audit.export(await queryOf(desk, options), format);
    for await (const chunk of chunks) desk.out(decoder.decode(chunk, { stream: true }));
    return 0;
  },
});

export const auditVerbs: readonly AnyVerb<CliDesk>[] = [list, takeOut, auditVerify];

const titles = ["Age", "Outcome", "Subject", "Operation", "What", "Address"];
const wideTitles = [...titles, "Via", "Reason", "Request", "Revision"];

function row(record: AuditRecord): string[] {
  const { kind, scope, name } = record;
  // The name of a route is its path, with a slash of its own.
  const what = [kind.toLowerCase(), scope, name.replace(/^\//, "")].filter(Boolean).join("/");
  return [age(record.at), record.outcome, record.subject, record.operation, what, record.address || "-"];
}

function wideRow(record: AuditRecord): string[] {
  const { via, reason, requestId, revision } = record;
  return [...row(record), via, reason || "-", requestId || "-", String(revision)];
}

/** The scope only when asked for: whoever looks for a deed seldom knows where it was done. */
async function queryOf(desk: CliDesk, options: OptionValues<typeof filters>): Promise<AuditQuery> {
  const { since, until, subject, kind, name, operation, outcome } = options;
  if (outcome !== undefined && outcome !== "done" && outcome !== "denied")
    throw new Usage(`--outcome takes done or denied, not ${JSON.stringify(outcome)}`);
  const given = {
    scope: desk.flags.scope,
    since: since && readTime(since, "--since"),
    until: until && readTime(until, "--until"),
    subject,
    // Also records of what is no kind, such as a Session.
    kind:
      kind &&
      (await desk.kind(kind).then(
        (found) => found.name,
        () => kind,
      )),
    name,
    operation,
    outcome,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function readLimit(value: string): number {
  const limit = Number(value);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new Usage(
    `--limit takes a number from 1 to 1000, not ${JSON.stringify(value)}`,
    "reeve audit export has no limit",
  );
}
