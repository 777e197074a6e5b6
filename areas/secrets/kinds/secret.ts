import { baseStatus, defineKind, line, no, type Resource, scopeText, type Verdict, yes } from "@reeve/model";
import { z } from "zod";
import { secretKey } from "./words.ts";

/** Older versions go when a new one is set. */
export const versionsKept = 20;

const value = z
  .string()
  .max(256 * 1024)
  .meta({ writeOnly: true });
const versionNumber = z.int().min(1);

const versionInfo = z.strictObject({
  version: z.number(),
  at: z.string(),
  by: z.string(),
  keys: z.array(z.string()),
  from: z.number().optional().describe("The earlier version that a rollback took the values from."),
});

export type SecretVersion = z.infer<typeof versionInfo>;

export const setInput = z.strictObject({
  values: z.record(secretKey, value.nullable()).describe("By key; null removes a key."),
  replace: z.boolean().default(false).describe("Forget all keys that are not given."),
});

export const rollbackInput = z.strictObject({ version: versionNumber });

export const revealInput = z.strictObject({
  version: versionNumber.optional().describe("The newest when left out."),
  keys: z.array(secretKey).min(1).optional().describe("All when left out."),
});

const versioned = z.strictObject({ version: z.number(), keys: z.array(z.string()) });

export const Secret = defineKind({
  name: "Secret",
  plural: "secrets",
  shortNames: [],
  summary:
    "Values that nobody reads back: set, referred to by name, and resolved only where they are needed.",
  levels: ["installation", "organization", "project", "workspace"],
  ownerOnly: ["reveal"],
  spec: z.strictObject({
    description: z.string().max(2000).optional(),
    keys: z
      .record(
        secretKey,
        z.strictObject({
          description: line.optional(),
          generate: z
            .boolean()
            .optional()
            .describe("It gets a value by chance, once, as long as nobody has set one."),
        }),
      )
      .optional()
      .describe("The keys it should have, for people. Values are no part of a spec: see the action `set`."),
    serves: z
      .array(scopeText.min(1, { error: "name an organization: what is shared with all is a secret of none" }))
      .max(100)
      .optional()
      .describe(
        "The scopes whose resources may refer to it, each with all below it. When left out: its own scope with all below; of the installation, the installation alone.",
      ),
  }),
  status: baseStatus.extend({
    version: z.number().optional().describe("The newest version; absent until values are set."),
    keys: z.array(z.string()).optional().describe("The keys of the newest version."),
    versions: z
      .array(versionInfo)
      .optional()
      .describe(`Newest first, at most ${versionsKept}: older ones are gone.`),
  }),
  columns: [
    { title: "Version", value: (secret) => secret.status.version ?? "not set" },
    { title: "Keys", value: (secret) => secret.status.keys?.join(", ") },
    { title: "Missing", value: (secret) => missingKeys(secret).join(", ") },
    { title: "Description", wide: true, value: (secret) => secret.spec.description },
  ],
  actions: {
    set: {
      summary: "Set values, as a new version. Keys that are not given keep theirs.",
      input: setInput,
      output: versioned,
      can: whileThere,
      secret: true,
    },
    rollback: {
      summary: "Make the values of an earlier version the newest version.",
      input: rollbackInput,
      output: versioned,
      can: (secret) => ifSet(secret),
    },
    reveal: {
      summary: "Show values. Needs a sign-in of the last minutes, and is audited.",
      input: revealInput,
      output: z.strictObject({ version: z.number(), values: z.record(z.string(), z.string()) }),
      can: (secret) => ifSet(secret),
      secret: true,
      fresh: true,
    },
  },
  example: `apiVersion: reeve/v1
kind: Secret
metadata:
  scope: acme/shop
  name: database
spec:
  description: How the shop reaches its database.
  keys:
    password:
      description: Of the user shop.
`,
});

export type SecretSpec = z.infer<typeof Secret.spec>;

/** Keys that the spec speaks of and nobody has set. */
export function missingKeys({
  spec,
  status,
}: Pick<Resource<{ keys?: object | undefined }>, "spec" | "status">): string[] {
  const set = (status.keys ?? []) as readonly string[];
  return Object.keys(spec.keys ?? {}).filter((key) => !set.includes(key));
}

function whileThere({ metadata }: Pick<Resource, "metadata">): Verdict {
  return metadata.deletingAt === undefined ? yes : no("the secret is being deleted");
}

function ifSet(secret: Pick<Resource, "metadata" | "status">): Verdict {
  return secret.status.version === undefined ? no("no values were set yet") : whileThere(secret);
}
