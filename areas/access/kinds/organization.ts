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
    encryptAtRest: z
      .boolean()
      .default(false)
      .describe(
        "Specs, inputs, outputs and logs of this organization are sealed in the database. What was there before follows.",
      ),
    recordTerminals: z
      .boolean()
      .default(false)
      .describe(
        "What terminals in its services and on its hosts show is recorded; without that they do not open.",
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
