import { baseStatus, defineKind, nameOf } from "@reeve/model";
import { z } from "zod";
import { subjectRef } from "./subject.ts";

export const Group = defineKind({
  name: "Group",
  plural: "groups",
  shortNames: ["grp"],
  summary: "People and programs that hold roles together: a role bound to the group is held by every member.",
  levels: ["installation", "organization"],
  ownerOnly: ["create", "update", "delete"],
  spec: z.strictObject({
    description: z.string().max(2000).optional(),
    members: z.array(subjectRef).max(500).default([]).describe("Who is in the group by name."),
    claims: z
      .array(
        z.strictObject({
          provider: nameOf("IdentityProvider").describe("The identity provider that says it."),
          value: z.string().min(1).max(500).describe("The group as the provider calls it."),
        }),
      )
      .max(100)
      .default([])
      .describe(
        "Who else is in the group: users of whom an identity provider said one of these at their last sign-in.",
      ),
  }),
  status: baseStatus.extend({
    members: z
      .array(z.string())
      .optional()
      .describe(
        "The uids of the members when the group was written: who is made anew by the same name is not in it.",
      ),
  }),
  columns: [
    { title: "Members", value: (group) => group.spec.members.length },
    { title: "Claims", value: (group) => group.spec.claims.map((claim) => claim.value).join(",") },
    { title: "Description", wide: true, value: (group) => group.spec.description },
  ],
  example: `apiVersion: reeve/v1
kind: Group
metadata:
  scope: acme
  name: developers
spec:
  members:
    - kind: User
      name: grace
`,
});
