import {
  type ActionHandler,
  type Admission,
  type Controller,
  forbidden,
  type LookAt,
  type Tools,
} from "@reeve/control";
import {
  allows,
  type Condition,
  Fault,
  hasEnded,
  type JsonObject,
  type Outcome,
  parseDuration,
  type Run,
  showSubject,
  withCondition,
} from "@reeve/model";
import { readNow, type Stored, writeRunKeep } from "@reeve/store";
import { readRun, readSteps } from "@reeve/store/runs";
import type { SourceSpec, SourceStatus } from "../../kinds/index.ts";
import { bring } from "./bring.ts";
import { draftFetch } from "./fetch.ts";
import { unpack } from "./read.ts";

/** One for each time it asks; of interest are the latest. */
const keep = { runs: 20, days: 7 };

export const sourceController: Controller = {
  kind: "Source",
  admit: admitSource,
  also:
    ({ metadata }) =>
    (sql) =>
      writeRunKeep(sql, metadata.uid, keep),
  actions: { sync: (request, tools) => sync(request, tools) },
  reconcile: follow,
};

/** What is pushed becomes workflows without anybody being asked again: who decides that must have the right to all of it. */
function admitSource({ after, caller }: Admission): Stored {
  const { scope } = after.metadata;
  const missing = ["create", "update", "delete"].find(
    (verb) => !allows(caller.grants, `workflows:${verb}`, scope),
  );
  if (missing !== undefined) throw forbidden(`workflows:${missing}`, scope);
  return after;
}

const sync: ActionHandler = async ({ resource, caller }, tools) => {
  const draft = await draftFetch(tools.database, resource, {
    cause: "person",
    by: showSubject(caller.subject),
  });
  return {
    change: (source) => ({ ...source, status: { ...source.status, run: draft.id } }),
    also: (sql) => tools.runs.admit(sql, [draft]),
    output: () => ({ run: draft.id }),
  };
};

/** Asks for news when it is time, by a run; when that has ended, brings what it found. */
async function follow(look: LookAt): Promise<Outcome> {
  const { metadata, spec, status: before } = look.resource;
  const status = before as SourceStatus;
  const everyMs = parseDuration((spec as unknown as SourceSpec).every);
  const now = await readNow(look.tools.database);
  const run =
    status.run === undefined ? undefined : await currentRun(look.tools, status.run, metadata.generation);
  if (run !== undefined && !hasEnded(run.state))
    return {
      kind: "waiting",
      why: `run ${run.id} fetches; \`reeve runs show ${run.id.slice(-12)}\` tells how far it is`,
      againInMs: pauseMs(now - Date.parse(run.createdAt)),
    };
  if (run !== undefined) return conclude(look, run, now, everyMs);
  const dueMs = Date.parse(status.checkedAt ?? "1970-01-01") + everyMs - now;
  const same = status.observedGeneration === metadata.generation;
  if (same && dueMs > 0 && status.pushedAt === undefined) return outcomeOf(status, dueMs);
  // What failed may go well the next time, when a secret has come that it speaks of.
  const healthy =
    status.syncedGeneration === metadata.generation && status.files?.every(({ state }) => state === "ok");
  return begin(look, healthy ? status.commit : undefined);
}

/** What was begun for an earlier spec says nothing about this one. */
async function currentRun({ database }: Tools, id: string, generation: number): Promise<Run | undefined> {
  const run = (await readRun(database, id))?.run;
  return run?.about.generation === generation ? run : undefined;
}

/** Often at first, as a fetch takes a second or two; seldom when no agent is there to do it. */
function pauseMs(ageMs: number): number {
  return Math.min(15_000, Math.max(250, ageMs / 3));
}

async function begin(look: LookAt, known: string | undefined): Promise<Outcome> {
  const { resource, tools } = look;
  const draft = await draftFetch(tools.database, resource, {
    cause: "reconciler",
    by: resource.metadata.name,
    known,
  });
  const { pushedAt: _, ...rest } = resource.status as SourceStatus;
  const status = { ...rest, run: draft.id } as unknown as JsonObject;
  const told = await look.report(status, [], (sql) => tools.runs.admit(sql, [draft]));
  return told
    ? { kind: "waiting", why: `asks for news by run ${draft.id}`, againInMs: pauseMs(0) }
    : { kind: "waiting", why: "it was changed meanwhile", againInMs: 0 };
}

async function conclude(look: LookAt, run: Run, now: number, everyMs: number): Promise<Outcome> {
  const { run: _, ...rest } = look.resource.status as SourceStatus;
  const at = new Date(now).toISOString();
  const [step] = await readSteps(look.tools.database, run.id, { after: -1 }, 1);
  const outputs = step?.outputs as { commit: string; unchanged?: boolean; files?: string } | null;
  if (run.state !== "succeeded" || !outputs) {
    const message = step?.why || run.why || `its run was ${run.state}`;
    return told(look, withSynced({ ...rest, checkedAt: at }, "false", "FetchFailed", message, at), everyMs);
  }
  const { commit } = outputs;
  const files = outputs.unchanged ? (rest.files ?? []) : await bring(look, commit, unpacked(outputs.files));
  const failed = files.filter(({ state }) => state === "failed");
  const status = {
    ...rest,
    commit,
    files,
    checkedAt: at,
    syncedAt: outputs.unchanged ? (rest.syncedAt ?? at) : at,
    syncedGeneration: look.resource.metadata.generation,
  };
  const [first] = failed;
  return first === undefined
    ? told(
        look,
        withSynced(status, "true", "UpToDate", `${files.length} workflows of ${commit}`, at),
        everyMs,
      )
    : told(
        look,
        withSynced(
          status,
          "false",
          "SomeFailed",
          `${failed.length} of ${files.length} failed; ${first.message}`,
          at,
        ),
        everyMs,
      );
}

function unpacked(files: unknown) {
  try {
    return unpack(files);
  } catch {
    throw new Fault("internal", "what the agent has sent cannot be read", {
      next: "a password that is a short word may stand in it by chance; choose a longer one",
    });
  }
}

function withSynced(
  status: SourceStatus,
  state: "true" | "false",
  reason: string,
  message: string,
  now: string,
): SourceStatus {
  const conditions = withCondition(
    status.conditions ?? [],
    { type: "Synced", status: state, reason, message },
    now,
  );
  return { ...status, conditions };
}

/** A change of mind is an event, so that it is still told when things went well later. */
async function told(look: LookAt, status: SourceStatus, againInMs: number): Promise<Outcome> {
  const [was, is] = [syncedOf(look.resource.status as SourceStatus), syncedOf(status)];
  const news = is !== undefined && (was?.status !== is.status || was.message !== is.message);
  const tone = is?.status === "true" ? ("normal" as const) : ("warning" as const);
  const events = news ? [{ tone, reason: is.reason, message: is.message }] : [];
  const kept = await look.report(status as unknown as JsonObject, events);
  if (!kept) return { kind: "waiting", why: "it was changed meanwhile", againInMs: 0 };
  // What was pushed while it fetched may not have come along.
  return outcomeOf(status, status.pushedAt === undefined ? againInMs : 0);
}

/** How it went when it last asked. */
function outcomeOf(status: SourceStatus, againInMs: number): Outcome {
  const synced = syncedOf(status);
  return { kind: synced?.status === "false" ? "failed" : "done", why: synced?.message ?? "", againInMs };
}

function syncedOf({ conditions }: SourceStatus): Condition | undefined {
  return conditions?.find(({ type }) => type === "Synced");
}
