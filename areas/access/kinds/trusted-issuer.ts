import { baseStatus, defineKind, line, nameOf, scopeText } from "@reeve/model";
import { z } from "zod";
import { issuerUrl } from "./issuer.ts";

const claimValue = z.string().min(1).max(500);

const rule = z.strictObject({
  claims: z
    .record(z.string().min(1).max(100), z.union([claimValue, z.array(claimValue).min(1).max(50)]))
    .refine((claims) => Object.keys(claims).length > 0, {
      error: "name at least one claim: without one, everybody with a token of this issuer would be let in",
    })
    .describe("What the token must say; a list means any of these. Compared whole, no patterns."),
  serviceAccount: z
    .strictObject({
      name: nameOf("ServiceAccount"),
      scope: scopeText.optional().describe("Where it lives: here (when left out) or below."),
    })
    .describe("Whom the workload then is."),
});

export const TrustedIssuer = defineKind({
  name: "TrustedIssuer",
  plural: "trustedissuers",
  shortNames: ["ti"],
  summary:
    "Lets workloads that an external OIDC issuer vouches for, such as CI jobs, act as service accounts.",
  levels: ["organization", "project"],
  ownerOnly: ["create", "update", "delete"],
  spec: z.strictObject({
    description: line.optional(),
    issuer: issuerUrl.describe("As in the `iss` of its tokens; its keys are found by discovery."),
    audience: z
      .string()
      .min(1)
      .max(200)
      .describe("What the `aud` of a token must be, so that one meant for others is of no use here."),
    rules: z.array(rule).min(1).max(100).describe("The first that fits decides."),
    tokenMinutes: z.int().min(1).max(60).default(60).describe("How long a token lives that is given out."),
  }),
  status: baseStatus,
  fields: ["spec.issuer"],
  columns: [
    { title: "Issuer", value: (trusted) => trusted.spec.issuer },
    { title: "Audience", value: (trusted) => trusted.spec.audience },
    { title: "Rules", value: (trusted) => trusted.spec.rules.length },
  ],
  example: `apiVersion: reeve/v1
kind: TrustedIssuer
metadata:
  scope: acme/shop
  name: github
spec:
  issuer: https://token.actions.githubusercontent.com
  audience: reeve
  rules:
    - claims:
        repository: acme/shop
        ref: refs/heads/main
      serviceAccount:
        name: ci
`,
});

export type TrustedIssuerSpec = z.infer<typeof TrustedIssuer.spec>;
