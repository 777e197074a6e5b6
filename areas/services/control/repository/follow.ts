import type { LookAt, OpenSecrets } from "@reeve/control";
import { fetchTip, GitFailed, type GitPlace, hasCommit, listTree, remoteTip, says } from "@reeve/git";
import {
  type Condition,
  Fault,
  type JsonObject,
  type Outcome,
  parseDuration,
  withCondition,
} from "@reeve/model";
import { lookNow, readNow } from "@reeve/store";
import type { RepositorySpec, RepositoryStatus } from "../../kinds/index.ts";
import { type FolderRow, forgetFolders, readFolders, readUses, writeFolder } from "../../store/index.ts";
import { type Opened, openRepository } from "./access.ts";
import { openErrands } from "./errands.ts";
import { changedFolders } from "./folders.ts";
import { type Mirrors, repositoryBytes } from "./mirrors.ts";

const askAgainMs = 1000;

/** Asks for news when it is time, and reads the folders that services are made of as far as they have changed. */
export function followRepository(mirrors: Mirrors, openSecrets: OpenSecrets) {
  const errands = openErrands();
  return async (look: LookAt): Promise<Outcome> => {
    const { metadata, spec, status: before } = look.resource;
    const { pushedAt, ...status } = before as RepositoryStatus;
    const { git: place, every } = spec as unknown as RepositorySpec;
    const everyMs = parseDuration(every);
    const { database } = look.tools;
    const now = await readNow(database);
    const uses = await readUses(database, metadata.scope, metadata.name);
    const folders = new Set(uses.map(({ folder }) => folder));
    const known = await readFolders(database, metadata.uid);
    const idle = known.map(({ folder }) => folder).filter((folder) => !folders.has(folder));
    if (idle.length > 0) await forgetFolders(database, metadata.uid, idle);
    const missing = [...folders].some((folder) => known.every((one) => one.folder !== folder));
    const same = status.observedGeneration === metadata.generation;
    const dueMs = Date.parse(status.checkedAt ?? "1970-01-01") + everyMs - now;
    const due = dueMs <= 0 || !same || pushedAt !== undefined;
    if (!due && !missing) return outcomeOf(status, dueMs);
    const at = new Date(now).toISOString();
    try {
      const opened = await openRepository(look.tools, openSecrets, look.resource);
      // What was pushed, or is wanted, since an errand began may not come along with it.
      const state = [metadata.revision, ...[...folders].sort()].join("\n");
      const wanted = { folders, path: place.path ?? "", before: status.revision };
      const result = await errands.result(metadata.uid, state, () =>
        mirrors.use(metadata.uid, opened, look.signal, (mirror) => bring(mirror, opened, wanted, known)),
      );
      if (result === undefined)
        return { kind: "waiting", why: "Git has not answered yet", againInMs: askAgainMs };
      const { value: found } = result;
      const next = { ...status, ...found.seen, checkedAt: at, services: uses.length };
      const fetchedAt = status.revision === found.seen.revision ? (status.fetchedAt ?? at) : at;
      const changed = new Set(found.rows.map(({ folder }) => folder));
      return await told(
        look,
        withFetched({ ...next, fetchedAt }, wordsOf(found, same), at),
        everyMs,
        async (sql) => {
          for (const row of found.rows) await writeFolder(sql, metadata, row);
          for (const { service, folder } of uses) if (changed.has(folder)) await lookNow(sql, service);
        },
      );
    } catch (error) {
      look.signal.throwIfAborted();
      if (!(error instanceof GitFailed || error instanceof Fault)) throw error;
      return told(look, withFetched({ ...status, checkedAt: at }, failure(error, status), at), everyMs);
    }
  };
}

interface Brought {
  readonly seen: { readonly revision: string };
  readonly rows: readonly FolderRow[];
  /** The revision before is not in its history. */
  readonly rewritten: boolean;
}

async function bring(
  mirror: GitPlace,
  opened: Opened,
  wanted: { folders: ReadonlySet<string>; path: string; before: string | undefined },
  known: readonly Pick<FolderRow, "folder" | "tree">[],
): Promise<Brought> {
  const tip = await remoteTip(mirror, opened);
  const revision = (await hasCommit(mirror, tip))
    ? tip
    : await fetchTip(mirror, { ...opened, shallow: false, mostBytes: repositoryBytes });
  const moved = wanted.before !== undefined && wanted.before !== revision;
  const rewritten =
    moved && !(await says(mirror, ["merge-base", "--is-ancestor", wanted.before ?? "", revision]));
  const tree = await listTree(mirror, revision, wanted.path === "" ? undefined : wanted.path);
  return {
    seen: { revision },
    rows: await changedFolders(mirror, tree, { ...wanted, revision }, known),
    rewritten,
  };
}

interface Words {
  readonly status: "true" | "false";
  readonly reason: string;
  readonly message: string;
}

function wordsOf({ seen, rewritten }: Brought, same: boolean): Words {
  const message = `revision ${seen.revision}`;
  return rewritten && same
    ? {
        status: "true",
        reason: "Rewritten",
        message: `${message}; its history was rewritten, and is followed`,
      }
    : { status: "true", reason: "UpToDate", message };
}

function failure({ message }: Error, { revision, fetchedAt }: RepositoryStatus): Words {
  const last =
    revision === undefined
      ? ""
      : `; revision ${revision} of ${fetchedAt} is the last that is known, and stays`;
  return { status: "false", reason: "FetchFailed", message: `${message}${last}` };
}

function withFetched(status: RepositoryStatus, words: Words, now: string): RepositoryStatus {
  return {
    ...status,
    conditions: withCondition(status.conditions ?? [], { type: "Fetched", ...words }, now),
  };
}

/** A change of mind is an event, so that it is still told when things went well later. */
async function told(
  look: LookAt,
  status: RepositoryStatus,
  againInMs: number,
  also?: Parameters<LookAt["report"]>[2],
): Promise<Outcome> {
  const [was, is] = [fetchedOf(look.resource.status as RepositoryStatus), fetchedOf(status)];
  const tone = is?.status === "true" ? ("normal" as const) : ("warning" as const);
  const events = is && was?.message !== is.message ? [{ tone, reason: is.reason, message: is.message }] : [];
  return (await look.report(status as unknown as JsonObject, events, also))
    ? outcomeOf(status, againInMs)
    : { kind: "waiting", why: "it was changed meanwhile", againInMs: 0 };
}

/** How it went when it last asked. */
function outcomeOf(status: RepositoryStatus, againInMs: number): Outcome {
  const fetched = fetchedOf(status);
  return { kind: fetched?.status === "false" ? "failed" : "done", why: fetched?.message ?? "", againInMs };
}

function fetchedOf({ conditions }: RepositoryStatus): Condition | undefined {
  return conditions?.find(({ type }) => type === "Fetched");
}
