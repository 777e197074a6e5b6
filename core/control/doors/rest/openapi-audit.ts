import type { JsonObject } from "@reeve/model";
import type { AuditFinding, AuditProof, AuditRecord, SignedHead } from "@reeve/model/audit";
import { exportFormats } from "../../audit/formats.ts";
import { readFaults } from "./openapi-faults.ts";
import { listSchema, objectSchema, schemaRef } from "./openapi-json-schema.ts";
import { jsonAnswer, jsonBody, operation } from "./openapi-operation.ts";

export const auditTag = "Audit";

const text = { type: "string" };
const whole = { type: "integer" };
const flag = { type: "boolean" };
const time = { type: "string", format: "date-time" };
const textOrNull = { type: ["string", "null"] };
const outcomes = { type: "string", enum: ["done", "denied"] };

const record = {
  revision: { ...whole, description: "Its place in commit order." },
  at: time,
  organization: { ...text, description: "Whose chain it stands in; empty for the installation's own." },
  subject: { ...text, description: "Who: `user:ada`, `serviceaccount:acme/ci`, `anonymous`." },
  via: { ...text, description: "By which session or token." },
  address: text,
  requestId: text,
  operation: text,
  outcome: outcomes,
  kind: text,
  scope: text,
  name: text,
  uid: textOrNull,
  reason: text,
  detail: { type: "object", description: "`changes` tells what was there before and after; secrets never." },
} satisfies Record<keyof AuditRecord, JsonObject>;

const head = {
  organization: text,
  revision: whole,
  at: time,
  hash: { ...text, description: "SHA-256 in hex." },
  checkpoint: { ...flag, description: "What came before is no longer kept." },
  key: { ...text, description: "The public key (Ed25519, base64url)." },
  signature: text,
} satisfies Record<keyof SignedHead, JsonObject>;

const finding = {
  organization: text,
  revision: whole,
  what: { type: "string", enum: ["changed", "removed", "added", "rewritten", "forged"] },
  why: text,
} satisfies Record<keyof AuditFinding, JsonObject>;

const proof = {
  organization: text,
  records: whole,
  since: { ...textOrNull, description: "The time of the oldest record that is kept." },
  upTo: { ...whole, description: "The revision of the newest record that is sealed." },
  findings: { type: "array", items: objectSchema(finding, Object.keys(finding)) },
} satisfies Record<keyof AuditProof, JsonObject>;

export const auditSchemas: JsonObject = {
  AuditRecords: objectSchema(
    {
      items: { type: "array", items: objectSchema(record, Object.keys(record)) },
      continue: { ...text, description: "Where the next page begins; a page may be short and still go on." },
    },
    ["items"],
    "Records, newest first.",
  ),
  AuditHeads: listSchema(objectSchema(head, Object.keys(head)), "Where chains begin and end, signed."),
  AuditVerification: {
    ...objectSchema({ organization: { ...text, description: "Only this chain." } }, []),
    additionalProperties: false,
  },
  AuditProofs: objectSchema(
    { intact: flag, items: { type: "array", items: objectSchema(proof, Object.keys(proof)) } },
    ["intact", "items"],
  ),
};

const filters: JsonObject[] = [
  parameter("scope", "At or below this scope; without it, everything you may read.", text),
  parameter("since", "From this time on.", time),
  parameter("until", "Before this time.", time),
  parameter("subject", "By whom: `user:ada`.", text),
  parameter("kind", "Done to this kind.", text),
  parameter("name", "Done to this name.", text),
  parameter("operation", "This operation: `apply`, `delete`, `sign-in`, …", text),
  parameter("outcome", "Only what was done, or only what was denied.", outcomes),
];

const needs = { permission: "audit:read" } as const;
const lines = { schema: text };

export const auditPaths: JsonObject = {
  "/api/v1/audit": {
    get: operation({
      id: "listAudit",
      tag: auditTag,
      summary: "Who did what, and what was refused, newest first",
      needs,
      parameters: [...filters, "limit", "continue"],
      answers: { 200: jsonAnswer("A page of records.", schemaRef("AuditRecords")) },
      faults: readFaults,
    }),
  },
  "/api/v1/audit/export": {
    get: operation({
      id: "exportAudit",
      tag: auditTag,
      summary: "The same as a stream of lines, oldest first, with the hashes of the chain",
      needs,
      parameters: [
        ...filters,
        parameter("format", "JSON lines, or Common Event Format.", {
          type: "string",
          enum: [...exportFormats],
          default: "jsonl",
        }),
      ],
      answers: {
        200: { description: "The lines.", content: { "application/jsonl": lines, "text/plain": lines } },
      },
      faults: readFaults,
    }),
  },
  "/api/v1/audit/heads": {
    get: operation({
      id: "listAuditHeads",
      tag: auditTag,
      summary: "Where the chains begin and end now, signed",
      needs,
      answers: { 200: jsonAnswer("The heads.", schemaRef("AuditHeads")) },
      faults: readFaults,
    }),
  },
  "/api/v1/audit/verify": {
    post: operation({
      id: "verifyAudit",
      tag: auditTag,
      summary: "Prove that nothing was changed, removed or added",
      needs,
      body: jsonBody(schemaRef("AuditVerification")),
      answers: { 200: jsonAnswer("What was found.", schemaRef("AuditProofs")) },
      faults: readFaults,
    }),
  },
};

function parameter(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: "query", description, schema };
}
