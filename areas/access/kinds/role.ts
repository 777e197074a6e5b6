import { baseStatus, defineKind } from "@reeve/model";
import { z } from "zod";
import { permissionWords } from "./words.ts";

export const Role = defineKind({
  name: "Role",
  plural: "roles",
  shortNames: [],
  summary: "A list of permissions to bind beside the built-in roles, in the scope it lives in and below.",
  levels: ["installation", "organization"],
  ownerOnly: ["create", "update", "delete"],
  spec: z.strictObject({
    description: z.string().max(2000).optional(),
    allows: permissionWords.describe(
      "Permissions; `plural:*` and `*:verb` stand for those that exist when the role is written.",
    ),
  }),
  status: baseStatus.extend({
    allows: z
      .array(z.string())
      .optional()
      .describe("The permissions one by one, as they were when it was written."),
  }),
  columns: [
    { title: "Allows", value: (role) => role.spec.allows.join(",") },
    { title: "Description", wide: true, value: (role) => role.spec.description },
  ],
  example: `apiVersion: reeve/v1
kind: Role
metadata:
  scope: acme
  name: deployer
spec:
  allows:
    - "*:read"
    - workspaces:update
`,
});
