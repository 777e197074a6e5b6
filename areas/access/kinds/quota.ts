import { type Amounts, baseStatus, defineKind, line } from "@reeve/model";
import { z } from "zod";

const amounts = z.record(z.string(), z.int().min(0).max(Number.MAX_SAFE_INTEGER));

export const Quota = defineKind({
  name: "Quota",
  plural: "quotas",
  shortNames: [],
  summary:
    "Limits what the scope it lives in, and everything below, may hold. Set by the owners of the scope above.",
  levels: ["installation", "organization", "project", "workspace"],
  limitsScope: true,
  ownerOnly: ["create", "update", "delete"],
  spec: z.strictObject({
    description: line.optional(),
    limits: amounts.describe(
      "By what is counted: a kind's plural such as projects or tokens, resources for all kinds together, runs for those that have not ended, storageBytes for their specs, labels and annotations.",
    ),
  }),
  status: baseStatus.extend({ used: amounts.optional() }),
  readByDatabase: ["spec.limits"],
  columns: [
    { title: "Used", value: ({ spec, status }) => usedOf(spec.limits, (status.used ?? {}) as Amounts) },
    { title: "Description", wide: true, value: (quota) => quota.spec.description },
  ],
  example: `apiVersion: reeve/v1
kind: Quota
metadata:
  scope: acme
  name: plan
spec:
  limits:
    projects: 10
    tokens: 50
    resources: 1000
    runs: 200
    storageBytes: 10000000
`,
});

/** "projects 3/10, tokens 50/50", the fullest first. */
function usedOf(limits: Amounts, used: Amounts): string {
  const share = ([what, limit]: [string, number]) => (used[what] ?? 0) / limit;
  return Object.entries(limits)
    .sort((one, other) => share(other) - share(one))
    .map(([what, limit]) => `${what} ${used[what] ?? "?"}/${limit}`)
    .join(", ");
}
