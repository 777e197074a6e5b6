import { expect, test } from "vitest";
import { auditQueryOf, exportPath } from "./query.ts";

const openedAt = Date.parse("2026-01-31T12:00:00Z");

test("the address says which records", () => {
  expect(auditQueryOf({ scope: "acme", outcome: "denied", span: "24h", sort: "-at" }, openedAt)).toEqual({
    scope: "acme",
    outcome: "denied",
    since: "2026-01-30T12:00:00.000Z",
  });
  expect(auditQueryOf({ outcome: "nonsense", span: "nonsense", subject: "" }, openedAt)).toEqual({});
});

test("a time that was written wins over a span", () => {
  const words = { since: "2026-01-01T00:00:00Z", span: "1h" };
  expect(auditQueryOf(words, openedAt).since).toBe("2026-01-01T00:00:00Z");
});

test("the same records are exported", () => {
  expect(exportPath({ scope: "acme/shop", subject: "user:ada" }, "cef")).toBe(
    "/api/v1/audit/export?scope=acme%2Fshop&subject=user%3Aada&format=cef",
  );
});
