import { baseStatus, defineKind, line, no, scopeText, showSubject, yes } from "@reeve/model";
import { z } from "zod";
import { subjectRef } from "./subject.ts";
import { permissionWords } from "./words.ts";

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
    within: scopeText
      .min(1, { error: "leave it out: without it, the token reaches as far as its subject" })
      .optional()
      .describe(
        "The token reaches this scope and what is below it, and nothing else. It may be narrowed later, never widened.",
      ),
    allows: permissionWords
      .optional()
      .describe(
        "The token has these permissions where its subject has them, and no others. `plural:*` and `*:verb` stand for those that exist when the token is written. They may be narrowed later, never widened.",
      ),
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
    allows: z
      .array(z.string())
      .optional()
      .describe("The permissions one by one, as they were when it was written."),
  }),
  fields: ["spec.subject.kind", "spec.subject.name"],
  readByDatabase: ["spec.expiresAt", "spec.within"],
  columns: [
    {
      title: "Subject",
      value: (token) => showSubject({ ...token.spec.subject, scope: token.spec.subject.scope ?? "" }),
    },
    { title: "Within", value: (token) => token.spec.within },
    { title: "Allows", wide: true, value: (token) => token.spec.allows?.join(",") },
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
      // Whoever finds an open session must not come away with what outlives it.
      fresh: "or-token",
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
