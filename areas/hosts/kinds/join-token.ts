import { baseStatus, defineKind, line, no, yes } from "@reeve/model";
import { z } from "zod";

/** How long a token works that says nothing else. */
export const joinHours = 1;

export const JoinToken = defineKind({
  name: "JoinToken",
  plural: "jointokens",
  shortNames: ["jt"],
  summary: "What a new agent joins with. Its text is shown once, when it is issued.",
  levels: ["installation", "organization", "project"],
  ownerOnly: ["create", "update", "delete", "issue"],
  spec: z.strictObject({
    description: line.optional(),
    uses: z.int().min(1).max(10_000).default(1).describe("How many hosts may join with it."),
    expiresAt: z.iso
      .datetime()
      .optional()
      .describe(`When it stops working; ${joinHours} h after it was issued when left out.`),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe("Labels that hosts which join with it get, whatever they ask for."),
    hosts: z
      .string()
      .max(63)
      .regex(/^[-a-z0-9*]+$/, { error: "a name, in which * stands for anything: build-*" })
      .optional()
      .describe("The names that hosts may join under; * stands for anything."),
    replace: z
      .boolean()
      .optional()
      .describe("May take the place of a host that has an agent already, such as one whose disk was wiped."),
  }),
  status: baseStatus.extend({
    issuedAt: z.string().optional(),
    expiresAt: z.string().optional(),
    used: z.number().optional().describe("How many hosts have joined with it since it was issued."),
    hosts: z.array(z.string()).optional().describe("The latest of them."),
  }),
  readByDatabase: ["spec.uses"],
  columns: [
    { title: "Used", value: ({ spec, status }) => `${status.used ?? 0} of ${spec.uses}` },
    { title: "Expires", value: ({ status }) => status.expiresAt ?? "not issued yet" },
    { title: "Hosts", value: ({ spec }) => spec.hosts ?? "any" },
    { title: "Joined", wide: true, value: ({ status }) => status.hosts?.join(", ") },
  ],
  actions: {
    issue: {
      summary: "Make the text that agents join with and show it once. One issued before stops working.",
      input: z.strictObject({}),
      output: z.strictObject({ token: z.string(), expiresAt: z.string() }),
      can: ({ metadata }) =>
        metadata.deletingAt === undefined ? yes : no("the join token is being deleted"),
      secret: true,
      // Whoever finds an open session must not come away with what outlives it.
      fresh: "or-token",
    },
  },
  example: `apiVersion: reeve/v1
kind: JoinToken
metadata:
  scope: acme
  name: builders
spec:
  uses: 10
  hosts: build-*
  labels:
    pool: build
`,
});
