import { baseStatus, defineKind } from "@reeve/model";
import { z } from "zod";

export const ServiceAccount = defineKind({
  name: "ServiceAccount",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  summary: "An identity for a program, such as a CI job. It signs in with tokens only.",
  levels: ["organization", "project", "workspace"],
  spec: z.strictObject({
    description: z.string().max(2000).optional(),
    disabled: z.boolean().default(false).describe("The tokens of a disabled account do not work."),
  }),
  status: baseStatus,
  fields: ["spec.disabled"],
  columns: [
    { title: "State", value: (account) => (account.spec.disabled ? "disabled" : "active") },
    { title: "Description", value: (account) => account.spec.description },
  ],
  example: `apiVersion: reeve/v1
kind: ServiceAccount
metadata:
  scope: acme/shop
  name: ci
spec:
  description: Deploys from the pipeline.
`,
});
