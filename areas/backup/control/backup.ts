import type { Controller, LookAt } from "@reeve/control";
import { Fault, type JsonObject, type Outcome, type ResourceOf, withCondition } from "@reeve/model";
import { type Backup, conditionOf, isTrue, verdictOf } from "../kinds/index.ts";
import { Damaged } from "./damaged.ts";
import { type Manifest, prepareStorage, readManifest } from "./manifest.ts";
import { progressOf, Replaced } from "./progress.ts";
import { hasHadItsTime } from "./retention.ts";
import type { BackupSettings } from "./settings.ts";
import { verifyBackup } from "./verify.ts";
import { writeBackup } from "./write.ts";

type Status = ResourceOf<typeof Backup>["status"];

const hourMs = 3_600_000;

/** Looks after a backup: writes it unless it is there, verifies it unless that is known, takes it away when it has had its time. */
export function backupController(settings: BackupSettings | undefined): Controller {
  return {
    kind: "Backup",
    reconcile: (look) =>
      settings === undefined
        ? Promise.resolve(unset)
        : reconcile(look, within(look, settings)).catch(givenUp),
    undo: {
      async "reeve/stored-copy"(look) {
        const { resource } = look;
        if (settings === undefined && !isTrue(resource.status as Status, "Stored"))
          return { kind: "done", why: "it was never written" };
        if (settings === undefined) return unset;
        const { storage } = within(look, settings);
        await prepareStorage(storage, look.tools.database);
        await removeCopy(resource.metadata.name, resource.metadata.uid, storage);
        return { kind: "done", why: "its copy was removed from the storage" };
      },
    },
    standing,
    actions: {
      async verify() {
        return {
          change: (now) => ({ ...now, status: unverified(now.status as Status) }),
          output: () => ({}),
        };
      },
    },
  };
}

/** A step that makes a backup has done so when the backup is known to be good. */
const standing: Controller["standing"] & {} = ({ metadata, status }) => {
  if (metadata.deletingAt !== undefined) return { state: "failed", why: "it is being deleted" };
  const verdict = verdictOf(status as Status);
  if (verdict === undefined) return { state: "waiting", why: (status as Status).progress ?? "" };
  const outputs = { backup: metadata.name };
  return { state: verdict.status === "true" ? "succeeded" : "failed", why: verdict.message, outputs };
};

/** A storage that does not answer must not keep the server from stopping. */
function within({ signal }: LookAt, settings: BackupSettings): BackupSettings {
  return { ...settings, storage: settings.storage.within(signal) };
}

const unset: Outcome = {
  kind: "waiting",
  why: "the server has no storage for backups: set REEVE_BACKUP_TO and REEVE_BACKUP_RECIPIENTS",
  againInMs: hourMs,
};

async function reconcile(look: LookAt, settings: BackupSettings): Promise<Outcome> {
  const { uid, name } = look.resource.metadata;
  let status = withoutProgress(look.resource.status as Status);
  await prepareStorage(settings.storage, look.tools.database);
  let manifest = await readManifest(settings.storage, name);
  if (manifest !== undefined && manifest.backup !== uid)
    throw new Fault("conflict", `${settings.storage.shown} holds another backup of the name ${name}`, {
      next: "delete this resource with force, which leaves the other's copy alone, and use another name",
    });
  if (manifest === undefined && conditionOf(status, "Stored") !== undefined) return vanished(look, status);
  if (manifest === undefined) {
    const onProgress = progressOf(look, status as JsonObject);
    manifest = await writeBackup({ ...settings, database: look.tools.database, name, uid, onProgress });
  }
  if (!isTrue(status, "Stored")) {
    status = stored(status, manifest, settings);
    await told(look, status);
  }
  if (conditionOf(status, "Verified") === undefined) {
    const onProgress = progressOf(look, status as JsonObject);
    const verdict = await verifyBackup(look.tools.database, { ...settings, manifest, onProgress });
    status = condition(status, "Verified", verdict.good, verdict.how, verdict.words);
    await told(look, status, verdict.good ? undefined : verdict.words);
  }
  if (await hasHadItsTime(look, settings.keep)) {
    await look.remove("newer backups have taken its place");
    return { kind: "done", why: "newer backups have taken its place" };
  }
  return { kind: "done", why: conditionOf(status, "Verified")?.message ?? "stored", againInMs: hourMs };
}

/** Whoever ended the work has made the resource due again, or is at it. */
function givenUp(error: unknown): Outcome {
  if (error instanceof Replaced) return { kind: "done", why: "it was changed meanwhile" };
  throw error;
}

/** Told once, and looked for again: whoever has taken it elsewhere may bring it back. */
async function vanished(look: LookAt, status: Status): Promise<Outcome> {
  const words = "its copy is no longer in the storage";
  if (isTrue(status, "Stored"))
    await told(look, condition(unverified(status), "Stored", false, "Vanished", words), words);
  return { kind: "done", why: words, againInMs: hourMs };
}

async function told(look: LookAt, status: Status, warning?: string): Promise<void> {
  const events =
    warning === undefined ? [] : [{ tone: "warning" as const, reason: "BackupUnusable", message: warning }];
  if (!(await look.report(status as JsonObject, events))) throw new Replaced();
}

function stored(status: Status, { takenAt, revision, tables }: Manifest, settings: BackupSettings): Status {
  const sum = (count: (one: Manifest["tables"][number]) => number) =>
    tables.reduce((total, one) => total + count(one), 0);
  const facts = { takenAt, revision, rows: sum((one) => one.rows), bytes: sum((one) => one.bytes) };
  return condition({ ...status, ...facts }, "Stored", true, "Written", `stored in ${settings.storage.shown}`);
}

function condition(status: Status, type: string, good: boolean, reason: string, message: string): Status {
  const next = { type, status: good ? ("true" as const) : ("false" as const), reason, message };
  const conditions = withCondition(status.conditions ?? [], next, new Date().toISOString());
  return { ...status, conditions };
}

function unverified(status: Status): Status {
  return { ...status, conditions: status.conditions?.filter((one) => one.type !== "Verified") };
}

function withoutProgress({ progress: _, ...status }: Status): Status {
  return status as Status;
}

/** Only what is ours: the name may belong to another backup by now, and one that cannot be read has no other owner. */
async function removeCopy(name: string, uid: string, storage: BackupSettings["storage"]): Promise<void> {
  const manifest = await readManifest(storage, name).catch((error: unknown) => {
    if (error instanceof Damaged) return undefined;
    throw error;
  });
  if (manifest === undefined || manifest.backup === uid) await storage.clear(name);
}
