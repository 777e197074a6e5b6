import {
  baseStatus,
  defineKind,
  duration,
  no,
  type Resource,
  type StatusOf,
  type Verdict,
  yes,
} from "@reeve/model";
import { gitPlace, secretRef } from "@reeve/secrets/kinds";
import { z } from "zod";
import { path } from "./files.ts";

const leastMs = 10_000;
const revision = z.string().regex(/^[0-9a-f]{40,64}$/, { error: "write the whole revision, in hex" });

export const Repository = defineKind({
  name: "Repository",
  plural: "repositories",
  shortNames: ["repo"],
  summary: "A Git repository whose folders are services.",
  levels: ["organization", "project", "workspace"],
  spec: z.strictObject({
    description: z.string().max(2000).optional(),
    git: gitPlace({ path: "Folders of services are looked for in this folder." }),
    every: duration
      .refine((text) => !/^\d+s$/.test(text) || Number.parseInt(text, 10) * 1000 >= leastMs, {
        error: "at least 10s",
      })
      .default("1m")
      .describe("How often it asks for news."),
    push: z
      .strictObject({ secret: secretRef.describe("What the Git server signs with.") })
      .optional()
      .describe(
        "Lets the Git server tell of pushes, at /api/v1/repository-pushes/SCOPE/NAME: they are fetched at once.",
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
      can: canFetch,
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
          ? canFetch(repository)
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

/** Also for a push, which is nobody's action. */
export function canFetch({ metadata }: Pick<Resource, "metadata">): Verdict {
  if (metadata.deletingAt !== undefined) return no("the repository is being deleted");
  return metadata.paused ? no("the repository is paused; resume it first") : yes;
}

function fetchedOf(conditions: readonly { type: string; reason: string }[] | undefined): string | undefined {
  return conditions?.find((one) => one.type === "Fetched")?.reason;
}

export type RepositorySpec = z.infer<typeof Repository.spec>;
export type RepositoryStatus = StatusOf<typeof Repository>;
