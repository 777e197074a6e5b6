import { baseStatus, defineKind, no, yes } from "@reeve/model";
import { z } from "zod";

export const Backup = defineKind({
  name: "Backup",
  plural: "backups",
  shortNames: ["bak"],
  summary:
    "A copy of the whole installation at one moment, encrypted, in the storage that the server's settings name. It is verified by restoring it.",
  levels: ["installation"],
  finalizers: ["reeve/stored-copy"],
  ownerOnly: ["create", "update", "delete", "verify"],
  spec: z.strictObject({
    description: z.string().max(200).optional().describe("Why it was made, for people."),
  }),
  status: baseStatus.extend({
    progress: z.string().optional().describe("What is being done right now."),
    takenAt: z.string().optional().describe("The moment whose state it holds."),
    revision: z.number().optional().describe("The newest revision in it."),
    rows: z.number().optional(),
    bytes: z.number().optional().describe("Its size in the storage."),
  }),
  columns: [
    { title: "Taken", value: (backup) => backup.status.takenAt },
    { title: "Size", value: ({ status }) => shownSize(status.bytes) },
    { title: "Rows", wide: true, value: (backup) => backup.status.rows },
    { title: "State", value: ({ status }) => stateOf(status) },
    { title: "Detail", wide: true, value: ({ status }) => status.progress ?? verdictOf(status)?.message },
  ],
  actions: {
    verify: {
      summary: "Fetch it back and restore it into a scratch database, once more.",
      input: z.strictObject({}),
      output: z.strictObject({}),
      can: (backup) => (backup.metadata.deletingAt === undefined ? yes : no("the backup is being deleted")),
    },
  },
  example: `apiVersion: reeve/v1
kind: Backup
metadata:
  name: before-the-upgrade
spec:
  description: before the upgrade to 0.2
`,
});

type BackupStatus = z.infer<typeof baseStatus> & { readonly progress?: string };

const states: Readonly<Record<string, string>> = {
  Restored: "verified",
  DigestsCompared: "digests compared only",
  Damaged: "damaged",
  Vanished: "vanished",
};

/** In one or two words: what is going on, or how far it can be trusted. */
function stateOf(status: BackupStatus): string {
  const verdict = verdictOf(status);
  if (verdict !== undefined) return states[verdict.reason] ?? verdict.reason;
  if (isTrue(status, "Stored")) return "being verified";
  return status.progress === undefined ? "waiting" : "being written";
}

/** What is known of its worth in the end; undefined as long as that is being found out. */
export function verdictOf(status: BackupStatus) {
  const stored = conditionOf(status, "Stored");
  return stored?.status === "false" ? stored : conditionOf(status, "Verified");
}

export function conditionOf(status: BackupStatus, type: "Stored" | "Verified") {
  return status.conditions?.find((one) => one.type === type);
}

export function isTrue(status: BackupStatus, type: "Stored" | "Verified"): boolean {
  return conditionOf(status, type)?.status === "true";
}

export function shownSize(bytes: number | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
