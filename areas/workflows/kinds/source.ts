import { baseStatus, defineKind, type StatusOf } from "@reeve/model";
import { canFollow, gitNews, gitPlace } from "@reeve/secrets/kinds";
import { z } from "zod";

/** The label of workflows that a Source has brought, with its name, and the annotation with the file that they stand in. */
export const sourceLabel = "reeve/source";
export const fileAnnotation = "reeve/file";

const git = gitPlace({
  path: "Only what lies in this folder. Bare scripts (.sh, .py) count only in a folder that is named.",
});

/** Before the scope and the name, where pushes are told. */
export const sourcePushes = "/pushes";

export const Source = defineKind({
  name: "Source",
  plural: "sources",
  shortNames: ["src"],
  summary: "Workflows that are kept in Git: what is pushed there is applied here, in the Source's own scope.",
  levels: ["installation", "organization", "project", "workspace"],
  spec: z.strictObject({
    description: z.string().max(2000).optional(),
    git,
    ...gitNews({ path: sourcePushes }),
    prune: z.boolean().default(true).describe("A workflow goes when its file is gone; its runs stay."),
  }),
  status: baseStatus.extend({
    commit: z.string().optional().describe("What the workflows were last brought to."),
    syncedAt: z.string().optional(),
    syncedGeneration: z.number().optional().describe("Of this Source: what it said when they were."),
    checkedAt: z.string().optional().describe("When it last asked for news."),
    pushedAt: z.string().optional().describe("A push that was told, and not looked at yet."),
    run: z.string().optional().describe("The run that fetches right now."),
    files: z
      .array(
        z.strictObject({
          path: z.string(),
          workflow: z.string().optional(),
          state: z.enum(["ok", "failed"]),
          message: z.string().optional(),
        }),
      )
      .optional(),
  }),
  columns: [
    { title: "Commit", value: ({ status }) => status.commit?.slice(0, 10) },
    { title: "Workflows", value: ({ status }) => countOf(status.files, "ok") },
    { title: "Failed", value: ({ status }) => countOf(status.files, "failed") },
    { title: "Synced", value: ({ status }) => syncedOf(status.conditions) },
    { title: "From", wide: true, value: ({ spec }) => spec.git.url ?? `connection ${spec.git.connection}` },
    { title: "Ref", wide: true, value: ({ spec }) => spec.git.ref },
  ],
  actions: {
    sync: {
      summary: "Fetch and apply now, also what has not changed.",
      input: z.strictObject({}),
      output: z.strictObject({ run: z.string() }),
      can: canFollow,
    },
  },
  example: `apiVersion: reeve/v1
kind: Source
metadata:
  scope: acme/shop
  name: flows
spec:
  git:
    url: https://git.example.com/acme/flows.git
    ref: main
    path: workflows
  every: 1m
`,
});

export type SourceSpec = z.infer<typeof Source.spec>;
export type SourceStatus = StatusOf<typeof Source>;
export type SyncedFile = NonNullable<SourceStatus["files"]>[number];

/** What the executor `git-fetch` gives back of a file: its text (YAML or a script), or what a program made, or why there is neither. */
export interface FetchedFile {
  readonly path: string;
  readonly text?: string;
  readonly manifests?: readonly unknown[];
  readonly error?: string;
}

function countOf(files: readonly { state: string }[] | undefined, state: string): number | undefined {
  return files?.filter((one) => one.state === state).length;
}

function syncedOf(conditions: readonly { type: string; reason: string }[] | undefined): string | undefined {
  return conditions?.find((one) => one.type === "Synced")?.reason;
}
