import type { AuditQuery } from "@reeve/sdk";

const spans = { "1h": 3_600_000, "24h": 86_400_000, "7d": 7 * 86_400_000, "30d": 30 * 86_400_000 };

export type Span = keyof typeof spans;
export const spanWords: Readonly<Record<Span, string>> = {
  "1h": "the last hour",
  "24h": "the last 24 hours",
  "7d": "the last 7 days",
  "30d": "the last 30 days",
};

type Words = Readonly<Record<string, string>>;

/** What the address asks for. A span counts back from the moment at which the page was opened. */
export function auditQueryOf(words: Words, openedAt: number): AuditQuery {
  const { scope, subject, kind, name, operation, outcome, since, until, span } = words;
  const from = since ?? (span !== undefined && span in spans ? backFrom(openedAt, span as Span) : undefined);
  return {
    ...(scope && { scope }),
    ...(subject && { subject }),
    ...(kind && { kind }),
    ...(name && { name }),
    ...(operation && { operation }),
    ...((outcome === "done" || outcome === "denied") && { outcome }),
    ...(from && { since: from }),
    ...(until && { until }),
  };
}

function backFrom(openedAt: number, span: Span): string {
  return new Date(openedAt - spans[span]).toISOString();
}

/** The address of the same records as a file. */
export function exportPath(query: AuditQuery, format: "jsonl" | "cef"): string {
  return `/api/v1/audit/export?${new URLSearchParams({ ...query, format })}`;
}
