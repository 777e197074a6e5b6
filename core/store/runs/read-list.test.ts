import { newUid, type Scope, uidAt } from "@reeve/model";
import { expect, test } from "vitest";
import type { Database } from "../database.ts";
import { testDatabase } from "../testing.ts";
import { keepGraphs } from "./graphs.ts";
import { insertRuns } from "./insert.ts";
import { runsEndingIn } from "./read.ts";
import { listRuns, type RunFilter } from "./read-list.ts";

const graph = Buffer.from("a graph");
const uids = { hello: newUid(), other: newUid() };
const times = (function* () {
  for (let at = Date.parse("2026-01-01T00:00:00Z"); ; at += 1000) yield at;
})();
const nextTime = () => times.next().value as number;

async function made(
  database: Database,
  runs: { scope: Scope; state?: string; cause?: string; uid?: string }[],
): Promise<string[]> {
  await keepGraphs(database, [{ digest: graph, graph: { steps: [] }, scopes: [] }]);
  const rows = runs.map(({ scope, state = "running", cause = "person", uid = uids.hello }) => ({
    id: uidAt(nextTime()),
    scope,
    kind: "Workflow",
    name: "hello",
    uid,
    generation: 1,
    graph,
    state,
    why: "",
    cause,
    by: "user:ada",
    inputs: {},
    priority: 0,
    limitKey: null,
    scheduledAt: null,
    parentRun: null,
    parentSeq: null,
    open: 1,
    settles: false,
    timeoutMs: null,
  }));
  await insertRuns(database, rows);
  await database.query("update run set ended_at = now() where state in ('succeeded', 'failed') and $1", [
    true,
  ]);
  return rows.map((row) => row.id);
}

async function paged(database: Database, filter: RunFilter, limit: number): Promise<string[]> {
  const found: string[] = [];
  let before: string | undefined;
  do {
    const page = await listRuns(database, filter, before, limit);
    found.push(...page.items.map((run) => run.id));
    before = page.next;
  } while (before !== undefined);
  return found;
}

test("pages of any size tell each run of these scopes once, newest first, and nobody else's", async () => {
  const { database } = await testDatabase();
  const scopes = ["acme", "acme/shop", "acme/shop/prod", "acme-b", "acme/shop2", "other", ""];
  const ids = await made(
    database,
    Array.from({ length: 70 }, (_, at) => ({ scope: scopes[at % scopes.length] as string })),
  );
  const newest = (...wanted: string[]) =>
    ids.filter((_, at) => wanted.includes(scopes[at % scopes.length] as string)).reverse();
  for (const limit of [1, 3, 10, 100]) {
    expect(await paged(database, { scopes: [""] }, limit)).toEqual([...ids].reverse());
    expect(await paged(database, { scopes: ["acme"] }, limit)).toEqual(
      newest("acme", "acme/shop", "acme/shop/prod", "acme/shop2"),
    );
    expect(await paged(database, { scopes: ["acme/shop", "other"] }, limit)).toEqual(
      newest("acme/shop", "acme/shop/prod", "other"),
    );
  }
  expect(await paged(database, { scopes: ["nobody"] }, 5)).toEqual([]);
});

test("what is asked for narrows: states, cause and time", async () => {
  const { database } = await testDatabase();
  const ids = await made(database, [
    { scope: "acme", state: "succeeded" },
    { scope: "acme", state: "failed", cause: "schedule" },
    { scope: "acme/shop", state: "queued" },
    { scope: "acme/shop", state: "running", cause: "schedule" },
  ]);
  const found = async (filter: Omit<RunFilter, "scopes">) =>
    (await paged(database, { scopes: ["acme"], ...filter }, 1)).map((id) => ids.indexOf(id));
  expect(await found({ states: ["failed"] })).toEqual([1]);
  expect(await found({ states: ["running", "queued"] })).toEqual([3, 2]);
  expect(await found({ cause: "schedule" })).toEqual([3, 1]);
  const at = (index: number) =>
    new Date(Number.parseInt((ids[index] as string).replace("-", "").slice(0, 12), 16)).toISOString();
  expect(await found({ since: at(2) })).toEqual([3, 2]);
  expect(await found({ until: at(2) })).toEqual([1, 0]);
  expect(await found({ since: at(1), until: at(3), states: ["failed"] })).toEqual([1]);
});

test("by a name: the runs of the definition that has it; when asked for, those of definitions that had it", async () => {
  const { database } = await testDatabase();
  const present = newUid();
  await database.query(
    `insert into resource (uid, kind, scope, name, generation, revision, labels, annotations, finalizers, paused,
       created_at, updated_at, spec, status)
     values ($1, 'Workflow', 'acme', 'hello', 1, 1, '{}', '{}', '[]', false, now(), now(), '{}', '{}')`,
    [present],
  );
  const ids = await made(database, [
    { scope: "acme", state: "succeeded" },
    { scope: "acme/shop", state: "failed" },
    { scope: "other" },
    { scope: "acme", uid: present },
  ]);
  const found = async (name: string, former: boolean, scope = "acme") => {
    const filter = { scopes: [scope], about: { kind: "Workflow", name, former } };
    return (await paged(database, filter, 1)).map((id) => ids.indexOf(id));
  };
  expect(await found("hello", false)).toEqual([3]);
  expect(await found("hello", true)).toEqual([1, 0]);
  expect(await found("hello", true, "")).toEqual([2, 1, 0]);
  expect(await found("hullo", true)).toEqual([]);
});

test("a run is found by the end of its id", async () => {
  const { database } = await testDatabase();
  const [id = ""] = await made(database, [{ scope: "acme" }, { scope: "acme" }]);
  expect(await runsEndingIn(database, id.slice(-8))).toEqual([{ id, scope: "acme" }]);
  expect(await runsEndingIn(database, "00000000")).toEqual([]);
});
