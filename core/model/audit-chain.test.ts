import { expect, test } from "vitest";
import { type AuditRecord, chainStart, linkHash, recordText } from "./audit-chain.ts";

const record: AuditRecord = {
  revision: 7,
  at: "2026-01-31T12:00:00.000Z",
  organization: "acme",
  subject: "user:ada",
  via: "token:01900000-0000-7000-8000-00000000000a",
  address: "10.0.0.1",
  requestId: "request-1",
  operation: "apply",
  outcome: "done",
  kind: "Project",
  scope: "acme",
  name: "shop",
  uid: null,
  reason: 'a "good" reason ✓',
  detail: { b: [1.5, true, null], a: { "10": "ten", "9": "nine" } },
};

/** As docs/audit.md describes it. Chains out there depend on it: this test is changed only together with the word in front. */
const text =
  '["reeve/audit/1",7,"2026-01-31T12:00:00.000Z","acme","user:ada","token:01900000-0000-7000-8000-00000000000a",' +
  '"10.0.0.1","request-1","apply","done","Project","acme","shop",null,"a \\"good\\" reason ✓",' +
  '{"a":{"10":"ten","9":"nine"},"b":[1.5,true,null]}]';

test("a record has one text, whatever the order of its keys", () => {
  expect(recordText(record)).toBe(text);
  const turned = Object.fromEntries(Object.entries(record).reverse()) as unknown as AuditRecord;
  expect(recordText({ ...turned, detail: { a: { "9": "nine", "10": "ten" }, b: [1.5, true, null] } })).toBe(
    text,
  );
});

test("a link's hash is SHA-256 over the hash before it, a line feed and that text", () => {
  expect(linkHash(chainStart, record)).toBe(
    "97ae59e72323317cac22a50deaea6e31aed01b2044b5b4298275bf464a5c8a1a",
  );
});
