import { baseStatus, builtinRoleNames, defineKind, showSubject } from "@reeve/model";
import { z } from "zod";
import { subjectRef } from "./subject.ts";

export const RoleBinding = defineKind({
  name: "RoleBinding",
  plural: "rolebindings",
  shortNames: ["rb"],
  summary: "Gives a subject a role in the scope it lives in and in everything below.",
  levels: ["installation", "organization", "project", "workspace"],
  ownerOnly: ["create", "update", "delete"],
  spec: z.strictObject({
    role: z.enum(builtinRoleNames).describe("owner, editor, viewer or auditor."),
    subject: subjectRef,
  }),
  status: baseStatus,
  fields: ["spec.role", "spec.subject.kind", "spec.subject.name"],
  columns: [
    { title: "Role", value: (binding) => binding.spec.role },
    {
      title: "Subject",
      value: (binding) => showSubject({ ...binding.spec.subject, scope: binding.spec.subject.scope ?? "" }),
    },
  ],
  example: `apiVersion: reeve/v1
kind: RoleBinding
metadata:
  scope: acme/shop
  name: ci-edits
spec:
  role: editor
  subject:
    kind: ServiceAccount
    name: ci
`,
});
