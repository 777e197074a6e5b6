import { baseStatus, defineKind } from "@reeve/model";
import { z } from "zod";
import { scopeSpec } from "./words.ts";

export const Organization = defineKind({
  name: "Organization",
  plural: "organizations",
  shortNames: ["org"],
  summary: "A tenant: people, projects and everything in them, apart from every other organization.",
  levels: ["installation"],
  opensScope: true,
  finalizers: ["reeve/contents"],
  ownerOnly: ["create", "update", "delete"],
  spec: scopeSpec.extend({
    requireSecondFactor: z
      .boolean()
      .default(false)
      .describe(
        "Roles held in this organization do not count for people who sign in without a second factor.",
      ),
  }),
  status: baseStatus,
  columns: [{ title: "Display name", value: (organization) => organization.spec.displayName }],
  example: `apiVersion: reeve/v1
kind: Organization
metadata:
  name: acme
spec:
  displayName: Acme Inc.
`,
});
