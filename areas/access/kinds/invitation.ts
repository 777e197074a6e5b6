import { baseStatus, defineKind, nameOf, no, yes } from "@reeve/model";
import { z } from "zod";

export const Invitation = defineKind({
  name: "Invitation",
  plural: "invitations",
  shortNames: ["inv"],
  summary: "Asks somebody in by a link for one e-mail address; who accepts it holds the role here.",
  levels: ["organization", "project"],
  ownerOnly: ["create", "update", "delete", "issue"],
  spec: z.strictObject({
    email: z.email().max(254).describe("Only who has this address may accept."),
    role: nameOf("Role").describe(
      "What they will hold here: a built-in role, or a Role of this organization.",
    ),
    expiresAt: z.iso
      .datetime()
      .optional()
      .describe("When the link stops working; seven days after it is issued when left out."),
  }),
  status: baseStatus.extend({
    role: z.strictObject({ scope: z.string(), uid: z.string() }).optional(),
    issuedAt: z.string().optional(),
    expiresAt: z.string().optional().describe("When the link that was issued stops working."),
    acceptedAt: z.string().optional(),
    acceptedBy: z.string().optional(),
  }),
  fields: ["spec.email", "spec.role"],
  columns: [
    { title: "Email", value: (invitation) => invitation.spec.email },
    { title: "Role", value: (invitation) => invitation.spec.role },
    {
      title: "State",
      value: ({ status: { acceptedBy, expiresAt } }) =>
        acceptedBy
          ? `accepted by ${acceptedBy}`
          : expiresAt
            ? `open until ${expiresAt.slice(0, 10)}`
            : "not issued",
    },
  ],
  actions: {
    issue: {
      summary: "Make a new link and show it once. A link issued before stops working.",
      input: z.strictObject({}),
      output: z.strictObject({ link: z.string(), expiresAt: z.string() }),
      can: ({ metadata, status }) =>
        metadata.deletingAt !== undefined
          ? no("the invitation is being deleted")
          : status.acceptedAt !== undefined
            ? no("the invitation was accepted")
            : yes,
      secret: true,
      // Whoever finds an open session must not come away with what outlives it.
      fresh: "or-token",
    },
  },
  can: (verb, { status }) =>
    verb === "update" && status.acceptedAt !== undefined ? no("the invitation was accepted") : yes,
  example: `apiVersion: reeve/v1
kind: Invitation
metadata:
  scope: acme
  name: grace
spec:
  email: grace@example.com
  role: editor
`,
});
