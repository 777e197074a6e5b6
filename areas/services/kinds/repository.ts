import { baseStatus, defineKind, no, type StatusOf } from "@reeve/model";
import { canFollow, gitNews, gitPlace, secretRef } from "@reeve/secrets/kinds";
import { z } from "zod";
import { path } from "./files.ts";
import { repositoryTroubles } from "./troubles.ts";

const revision = z.string().regex(/^[0-9a-f]{40,64}$/, { error: "write the whole revision, in hex" });

/** Before the scope and the name, where pushes are told. */
export const repositoryPushes = "/repository-pushes";

export const Repository = defineKind({
  name: "Repository",
  plural: "repositories",
  shortNames: ["repo"],
  summary: "A Git repository whose folders are services.",
  levels: ["organization", "project", "workspace"],
  reads: ["files"],
  troubles: repositoryTroubles,
  spec: z.strictObject({
    description: z.string().max(2000).optional(),
    git: gitPlace({ path: "Folders of services are looked for in this folder." }),
    ...gitNews({ path: repositoryPushes }),
    decryption: z
      .strictObject({
        identity: secretRef.describe(
          "The age identity, as age-keygen writes it; several, one in a line, too.",
        ),
      })
      .optional()
      .describe(
        "Opens files that are encrypted with age, or SOPS for age: only on their way to the agents of a service.",
      ),
    writeBack: z.boolean().default(false).describe("Lets people change its files through Reeve."),
  }),
  status: baseStatus.extend({
    revision: z.string().optional().describe("The commit that services are made of."),
    fetchedAt: z.string().optional().describe("When that commit was fetched."),
    checkedAt: z.string().optional().describe("When it last asked for news."),
    pushedAt: z.string().optional().describe("A push that was told, and not looked at yet."),
    services: z.number().optional().describe("How many services have their files here."),
  }),
  columns: [
    { title: "Revision", value: ({ status }) => status.revision?.slice(0, 10) },
    { title: "Fetched", value: ({ status }) => fetchedOf(status.conditions) },
    { title: "Services", value: ({ status }) => status.services },
    { title: "From", wide: true, value: ({ spec }) => spec.git.url ?? `connection ${spec.git.connection}` },
    { title: "Ref", wide: true, value: ({ spec }) => spec.git.ref },
  ],
  actions: {
    fetch: {
      summary: "Ask for news now.",
      input: z.strictObject({}),
      output: z.strictObject({}),
      can: canFollow,
    },
    write: {
      summary:
        "Change files of the repository: one commit upon a revision that you have seen, pushed at once.",
      input: z.strictObject({
        base: revision.describe("The revision that the change was made from."),
        message: z.string().min(1).max(5000).describe("The message of the commit."),
        files: z
          .record(
            path,
            z
              .string()
              .max(1024 * 1024)
              .nullable(),
          )
          .refine((files) => Object.keys(files).length > 0, { error: "name at least one file" })
          .refine((files) => Object.keys(files).length <= 100, { error: "at most 100 files" })
          .describe("What files are to hold, by their path from the repository's top; null removes one."),
      }),
      output: z.strictObject({ revision: z.string() }),
      can: (repository) =>
        repository.spec.writeBack === true
          ? canFollow(repository)
          : no("writing back is off; set `writeBack: true`"),
    },
  },
  example: `apiVersion: reeve/v1
kind: Repository
metadata:
  scope: acme/shop
  name: apps
spec:
  git:
    url: https://git.example.com/acme/apps.git
    ref: main
  every: 1m
`,
});

function fetchedOf(conditions: readonly { type: string; reason: string }[] | undefined): string | undefined {
  return conditions?.find((one) => one.type === "Fetched")?.reason;
}

export type RepositorySpec = z.infer<typeof Repository.spec>;
export type RepositoryStatus = StatusOf<typeof Repository>;
