import { baseStatus, defineKind } from "@reeve/model";
import { scopeSpec } from "./words.ts";

export const Workspace = defineKind({
  name: "Workspace",
  plural: "workspaces",
  shortNames: ["ws"],
  summary: "A part of a project that is run as one, such as production or staging.",
  levels: ["project"],
  opensScope: true,
  finalizers: ["reeve/contents"],
  ownerOnly: ["delete"],
  spec: scopeSpec,
  status: baseStatus,
  columns: [{ title: "Display name", value: (workspace) => workspace.spec.displayName }],
  example: `apiVersion: reeve/v1
kind: Workspace
metadata:
  scope: acme/shop
  name: production
spec:
  description: What customers use.
`,
});
