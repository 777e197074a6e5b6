import { baseStatus, defineKind, line, no, yes } from "@reeve/model";
import { z } from "zod";

/** NIST SP 800-63B: length is what counts; composition rules only make people write passwords down. */
export const password = z
  .string()
  .min(12, { error: "use at least 12 characters" })
  .max(1024)
  .meta({ writeOnly: true });

export const User = defineKind({
  name: "User",
  plural: "users",
  shortNames: [],
  summary: "A person who signs in. A user may hold roles in any number of organizations.",
  levels: ["installation"],
  ownerOnly: ["create", "update", "delete", "set-password", "end-sessions", "reset-factors"],
  spec: z.strictObject({
    displayName: line.optional().describe("The name people read."),
    email: z.email().max(254).optional(),
    disabled: z
      .boolean()
      .default(false)
      .describe("A disabled user cannot sign in and its tokens do not work."),
  }),
  status: baseStatus.extend({
    groups: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe("What each identity provider said of the user's groups at the last sign-in."),
  }),
  fields: ["spec.email", "spec.disabled"],
  columns: [
    { title: "Display name", value: (user) => user.spec.displayName },
    { title: "Email", value: (user) => user.spec.email },
    { title: "State", value: (user) => (user.spec.disabled ? "disabled" : "active") },
  ],
  actions: {
    "set-password": {
      summary: "Set the password. Users give their current one; owners may set a new one for others.",
      input: z.strictObject({ password, current: z.string().max(1024).meta({ writeOnly: true }).optional() }),
      output: z.strictObject({ sessionsEnded: z.number() }),
      can: (user) => (user.metadata.deletingAt === undefined ? yes : no("the user is being deleted")),
      secret: true,
    },
    "end-sessions": {
      summary: "End all sessions of the user. API tokens go on working.",
      input: z.strictObject({}),
      output: z.strictObject({ sessionsEnded: z.number() }),
      can: () => yes,
    },
    "reset-factors": {
      summary: "Take all second factors and sessions from a user who has lost them. The password stays.",
      input: z.strictObject({}),
      output: z.strictObject({ factorsRemoved: z.number(), sessionsEnded: z.number() }),
      can: () => yes,
      fresh: true,
    },
  },
  example: `apiVersion: reeve/v1
kind: User
metadata:
  name: grace
spec:
  displayName: Grace Hopper
  email: grace@example.com
`,
});
