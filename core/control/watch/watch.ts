import { Fault } from "@reeve/model";
import { type ChangeRow, changesBetween, listResources, readCounter, shown } from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import type { Credential } from "../guard/identity.ts";
import { checkScopeThere, type ListRequest, type Selection, select } from "../operations/list.ts";
import { type Told, toldOf, type Watcher } from "./hub.ts";
import { seen, viewOf } from "./view.ts";

/** Where a door writes what is watched. */
export interface WatchSink {
  /** While the past is told, a promise holds the next page back until the reader has room; live changes never wait. */
  tell(batch: readonly Told[], chunk: Map<string, Buffer>): void | Promise<void>;
  synced(revision: number): void;
  end(fault: Fault): void;
}

export interface WatchRequest extends ListRequest {
  /** Begin after this revision; without it, everything there is comes first. */
  readonly since?: number;
}

type Reader = Pick<Asking, "caller" | "origin"> & { readonly credential: Credential | undefined };

const pageSize = 500;
const recheckMs = 30_000;
const quietMs = 15_000;
/** Changes held back for a reader that is still told the past; beyond this it has to begin again. */
const heldMost = 20_000;

/**
 * Watches a list. Promises every change of the selection after its start exactly once, in commit order, or an end: the
 * watcher joins the live channel first and holds back what arrives there until the past has been told.
 */
export async function watch(
  context: Context,
  reader: Reader,
  request: WatchRequest,
  sink: WatchSink,
): Promise<() => void> {
  const selection = await select(context, reader, request);
  await checkScopeThere(context, request.scope);
  await checkSince(context, request.since);
  const live: { batch: readonly Told[]; position: number; chunk: Map<string, Buffer> }[] = [];
  let held = 0;
  let catchingUp = true;
  let told = request.since ?? 0;
  let over = false;
  /** Rights are being looked up: until it is known that they still hold, nothing is told. */
  let checks = 0;
  let checked = Promise.resolve();
  /** What the listing has told beyond the revision it began at: changes up to these must not be told again. */
  let ahead: ReadonlyMap<string, number> = new Map();

  const watcher: Watcher = {
    subjectUid: reader.caller?.subject.uid ?? "",
    tell(batch, position, chunk) {
      if (catchingUp || checks > 0) return holdBack(batch, position, chunk);
      tellLive(batch, position, chunk);
    },
    recheck,
    close: () =>
      finish(
        new Fault("unavailable", "the server is stopping", {
          next: "reconnect with the last id",
          retryAfterMs: 500,
        }),
      ),
  };

  function holdBack(batch: readonly Told[], position: number, chunk: Map<string, Buffer>): void {
    live.push({ batch, position, chunk });
    held += batch.length;
    if (held > heldMost)
      finish(
        new Fault("unavailable", "the watch cannot catch up with the changes", {
          next: "reconnect with the last id",
        }),
      );
  }

  function tellLive(batch: readonly Told[], position: number, chunk: Map<string, Buffer>): void {
    const isNew = ({ revision, key }: Told) => revision > told && revision > (ahead.get(key) ?? 0);
    // Also the client may have read from a replica that was ahead of us.
    const all = ahead.size === 0 && (batch[0] as Told).revision > told;
    const later = all ? batch : batch.filter(isNew);
    told = Math.max(told, position);
    if (later.length > 0) void sink.tell(later, later.length === batch.length ? chunk : new Map());
  }

  function tellHeld(): void {
    if (over || catchingUp || checks > 0) return;
    for (const { batch, position, chunk } of live.splice(0)) tellLive(batch, position, chunk);
    held = 0;
  }

  function recheck(): void {
    checks++;
    checked = Promise.all([checked, checkRights()]).then(() => {
      checks--;
      tellHeld();
    });
  }

  async function checkRights(): Promise<void> {
    try {
      const caller = reader.credential && (await context.identity.identify(reader.credential));
      const now = await select(context, { ...reader, caller }, request);
      if (JSON.stringify(now) !== JSON.stringify(selection))
        throw new Fault("conflict", "what you may see has changed", { next: "list again" });
    } catch (error) {
      // An outage is no reason to end a watch: whoever lost the right is found at the next check.
      if (error instanceof Fault && error.kind !== "unavailable") finish(error);
    }
  }

  function finish(fault: Fault): void {
    if (over) return;
    leave();
    sink.end(fault);
  }

  const leaveHub = context.hub.join(selection, watcher);
  const checking = setInterval(recheck, recheckMs);
  const quiet = setInterval(() => {
    if (!catchingUp && checks === 0) sink.synced(Math.max(told, context.hub.position));
  }, quietMs);
  function leave(): void {
    over = true;
    leaveHub();
    clearInterval(checking);
    clearInterval(quiet);
  }

  const tellPast: WatchSink["tell"] = async (batch, chunk) => {
    await checked;
    if (!over) await sink.tell(batch, chunk);
  };

  try {
    const joinedAt = context.hub.position;
    const listed = request.since === undefined ? await tellAll(context, selection, tellPast) : undefined;
    const from = listed?.revision ?? request.since ?? 0;
    ahead = listed?.ahead ?? ahead;
    told = await tellBetween(context, selection, from, joinedAt, tellPast);
    // What was compacted while we read would be missing: say so instead.
    await checkSince(context, request.since);
    await checked;
    if (over) return leave;
    catchingUp = false;
    tellHeld();
    sink.synced(Math.max(told, from));
  } catch (error) {
    leave();
    throw error;
  }
  return leave;
}

async function checkSince(context: Context, since: number | undefined): Promise<void> {
  if (since === undefined) return;
  const { revision, compacted } = await readCounter(context.database);
  if (since >= compacted && since <= revision) return;
  throw new Fault(
    "gone",
    since > revision
      ? `revision ${since} is not of this database's timeline`
      : `changes before revision ${compacted} are no longer kept`,
    {
      next: "list again and watch from the revision of that list",
    },
  );
}

/**
 * Everything there is, page by page; returns the revision from which changes must follow, and what later pages have
 * shown of later changes already.
 */
async function tellAll(
  context: Context,
  selection: Selection,
  tell: WatchSink["tell"],
): Promise<{ revision: number; ahead: Map<string, number> }> {
  const ahead = new Map<string, number>();
  const kind = context.registry.byName(selection.kind);
  let after: { scope: string; name: string } | undefined;
  let first: number | undefined;
  for (;;) {
    const { items, revision } = await listResources(context.database, {
      ...selection,
      opensScope: kind.opensScope === true,
      labels: selection.labelTerms,
      fields: selection.fieldTerms,
      ...(after ? { after } : {}),
      limit: pageSize,
    });
    first ??= revision;
    const told = items.map((item): Told => {
      const { scope, name, revision: at } = item.metadata;
      const key = `${scope} ${name}`;
      if (at > (first as number)) ahead.set(key, at);
      return { type: "added", revision: at, key, object: JSON.stringify(shown(item)), listed: true };
    });
    if (told.length > 0) await tell(told, new Map());
    const last = items.at(-1);
    if (items.length < pageSize || last === undefined) return { revision: first, ahead };
    after = { scope: last.metadata.scope, name: last.metadata.name };
  }
}

/** The changes between two revisions; returns the revision up to which everything has been told. */
async function tellBetween(
  context: Context,
  selection: Selection,
  from: number,
  upTo: number,
  tell: WatchSink["tell"],
): Promise<number> {
  const kind = context.registry.byName(selection.kind);
  let position = from;
  while (position < upTo) {
    const rows = await changesBetween(context.database, selection.kind, position, upTo, pageSize);
    const told = rows.flatMap((row) => {
      const type = viewOf(selection, kind, seen(row, kind));
      return type === undefined ? [] : [toldOf(type, row)];
    });
    if (told.length > 0) await tell(told, new Map());
    position = rows.length < pageSize ? upTo : (rows.at(-1) as ChangeRow).revision;
  }
  return Math.max(position, from);
}
