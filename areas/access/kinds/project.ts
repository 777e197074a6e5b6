import { baseStatus, defineKind } from "@reeve/model";
import { scopeSpec } from "./words.ts";

export const Project = defineKind({
  name: "Project",
  plural: "projects",
  shortNames: ["proj"],
  summary: "A part of an organization with its own people and workspaces.",
  levels: ["organization"],
  opensScope: true,
  finalizers: ["reeve/contents"],
  ownerOnly: ["delete"],
  spec: scopeSpec,
  status: baseStatus,
  columns: [{ title: "Display name", value: (project) => project.spec.displayName }],
  example: `apiVersion: reeve/v1
kind: Project
metadata:
  scope: acme
  name: shop
  labels:
    team: web
spec:
  displayName: The shop
`,
});
