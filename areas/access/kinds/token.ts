import { baseStatus, defineKind, line, no, showSubject, yes } from "@reeve/model";
import { z } from "zod";
import { subjectRef } from "./subject.ts";

export const Token = defineKind({
  name: "Token",
  plural: "tokens",
  shortNames: ["tok"],
  summary: "A credential for the API. Its secret is shown once, when it is issued.",
  levels: ["installation", "organization", "project", "workspace"],
  ownerOnly: ["create", "update", "delete", "issue"],
  spec: z.strictObject({
    subject: subjectRef,
    description: line.optional(),
    expiresAt: z.iso
      .datetime()
      .optional()
      .describe(
        "When it stops working; the token is removed then. Without it, the token works until deleted.",
      ),
  }),
  status: baseStatus.extend({
    issuedAt: z.string().optional(),
    lastUsedAt: z.string().optional().describe("To the hour."),
  }),
  fields: ["spec.subject.kind", "spec.subject.name"],
  readByDatabase: ["spec.expiresAt"],
  columns: [
    {
      title: "Subject",
      value: (token) => showSubject({ ...token.spec.subject, scope: token.spec.subject.scope ?? "" }),
    },
    { title: "Issued", wide: true, value: (token) => String(token.status.issuedAt ?? "not yet") },
    { title: "Last used", value: (token) => String(token.status.lastUsedAt ?? "never") },
    { title: "Expires", value: (token) => token.spec.expiresAt?.slice(0, 10) ?? "never" },
  ],
  actions: {
    issue: {
      summary: "Make a new secret and show it once. A secret issued before stops working.",
      input: z.strictObject({}),
      output: z.strictObject({ secret: z.string(), expiresAt: z.string().optional() }),
      can: (token) => (token.metadata.deletingAt === undefined ? yes : no("the token is being deleted")),
      secret: true,
    },
  },
  can: (verb, token) =>
    verb === "update" && token.metadata.deletingAt !== undefined ? no("the token is being deleted") : yes,
  example: `apiVersion: reeve/v1
kind: Token
metadata:
  scope: acme/shop
  name: ci-2026
spec:
  subject:
    kind: ServiceAccount
    name: ci
  expiresAt: "2027-01-31T00:00:00Z"
`,
});
