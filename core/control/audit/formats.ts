import type { SealedRecord } from "@reeve/store";

export const exportFormats = ["jsonl", "cef"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** One line of an export. */
export function exportLine(format: ExportFormat, record: SealedRecord, version: string): string {
  return `${format === "cef" ? cefLine(record, version) : JSON.stringify(record)}\n`;
}

/** ArcSight's Common Event Format, version 0, which security systems read. A refusal is more severe than what was allowed. */
function cefLine(record: SealedRecord, version: string): string {
  const severity = record.outcome === "denied" ? 6 : 3;
  const title = `${record.operation} ${record.kind}`;
  const head = ["CEF:0", "Reeve", "Reeve", version, record.operation, title, String(severity)];
  const fields: readonly [key: string, value: string | number | null][] = [
    ["rt", Date.parse(record.at)],
    ["externalId", record.revision],
    ["suser", record.subject],
    ["src", record.address],
    ["act", record.operation],
    ["outcome", record.outcome === "done" ? "success" : "failure"],
    ["reason", record.reason],
    ["request", [record.scope, record.name].filter(Boolean).join("/")],
    ["cs1Label", "kind"],
    ["cs1", record.kind],
    ["cs2Label", "scope"],
    ["cs2", record.scope],
    ["cs3Label", "via"],
    ["cs3", record.via],
    ["cs4Label", "requestId"],
    ["cs4", record.requestId],
    ["cs5Label", "hash"],
    ["cs5", record.hash],
    ["msg", JSON.stringify(record.detail)],
  ];
  const told = fields.filter(([, value]) => value !== null && value !== "");
  const labels = new Set(told.map(([key]) => `${key}Label`));
  const extension = told
    .filter(([key]) => !key.endsWith("Label") || labels.has(key))
    .map(([key, value]) => `${key}=${inExtension(String(value))}`);
  return `${head.map(inHead).join("|")}|${extension.join(" ")}`;
}

function inHead(text: string): string {
  return text.replaceAll(/[\\|]/g, "\\$&").replaceAll(/[\r\n]+/g, " ");
}

function inExtension(text: string): string {
  return text.replaceAll(/[\\=]/g, "\\$&").replaceAll(/\r\n?|\n/g, "\\n");
}
