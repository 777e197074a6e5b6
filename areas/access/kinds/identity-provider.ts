import { baseStatus, defineKind, line, no, yes } from "@reeve/model";
import { z } from "zod";
import { issuerUrl } from "./issuer.ts";

const claimName = z.string().min(1).max(200);

export const IdentityProvider = defineKind({
  name: "IdentityProvider",
  plural: "identityproviders",
  shortNames: ["idp"],
  summary: "An OpenID Connect provider at which people sign in. Its groups become members of Reeve's groups.",
  levels: ["installation"],
  ownerOnly: ["create", "update", "delete", "set-secret"],
  spec: z.strictObject({
    displayName: line.optional().describe("What the sign-in page calls it."),
    issuer: issuerUrl.describe("Everything else is found by discovery. Cannot be changed: make another one."),
    clientId: z.string().min(1).max(500),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, { error: "a scope has no spaces" }))
      .max(50)
      .default(["openid", "profile", "email"])
      .refine((scopes) => scopes.includes("openid"), { error: "`openid` must be among them" }),
    claims: z
      .strictObject({
        name: claimName.default("preferred_username").describe("What a new user is named after."),
        email: claimName.default("email").describe("Only kept when the provider has verified it."),
        groups: claimName.default("groups").describe("A list; `realm_access.roles` looks into an object."),
      })
      .prefault({})
      .describe("Which claims say what."),
    allow: z
      .strictObject({
        emailDomains: z.array(z.hostname().max(253)).max(100).default([]),
        groups: z.array(z.string().min(1).max(500)).max(100).default([]),
      })
      .prefault({})
      .describe("Who may sign in: a verified address of one of these domains, and one of these groups."),
    createUsers: z
      .boolean()
      .default(false)
      .describe(
        "Make a user at the first sign-in. Otherwise only those sign in who linked their user before.",
      ),
    secondFactor: z
      .array(z.string().min(1).max(100))
      .max(20)
      .default([])
      .describe("Values of `amr` that mean that the provider has asked for a second factor, such as `mfa`."),
    disabled: z
      .boolean()
      .default(false)
      .describe("Nobody signs in by a disabled provider, and what it said of groups does not count."),
  }),
  status: baseStatus.extend({ secretSetAt: z.string().optional() }),
  fields: ["spec.disabled"],
  columns: [
    { title: "Issuer", value: (provider) => provider.spec.issuer },
    { title: "State", value: (provider) => (provider.spec.disabled ? "disabled" : "active") },
    { title: "Secret set", wide: true, value: (provider) => String(provider.status.secretSetAt ?? "never") },
  ],
  actions: {
    "set-secret": {
      summary: "Set the client secret that the provider gave out. It is kept sealed and never shown.",
      input: z.strictObject({ secret: z.string().min(1).max(1000).meta({ writeOnly: true }) }),
      output: z.strictObject({}),
      can: (provider) =>
        provider.metadata.deletingAt === undefined ? yes : no("the provider is being deleted"),
      secret: true,
    },
  },
  example: `apiVersion: reeve/v1
kind: IdentityProvider
metadata:
  name: corporate
spec:
  displayName: Example Inc.
  issuer: https://id.example.com
  clientId: reeve
  createUsers: true
  allow:
    emailDomains: [example.com]
`,
});

export type IdentityProviderSpec = z.infer<typeof IdentityProvider.spec>;
