import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFailed, test } from "vitest";
import { type Api, openApi, project, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openLedger } from "../harness/ledger.ts";
import { type PrivatePostgres, startPostgres } from "../harness/private-postgres.ts";
import { seeded } from "../harness/random.ts";
import { type Replica, startReplica } from "../harness/replicas.ts";
import { openProxy, type TcpProxy } from "../harness/tcp-proxy.ts";
import { until, untilNothing } from "../harness/until.ts";
import { leaseMs, storm } from "./storm/faults.ts";
import * as findings from "./storm/findings.ts";
import { startSoloWriter } from "./storm/solo-writer.ts";
import { startWatcher } from "./storm/watcher.ts";
import { type Change, startWriters } from "./storm/writers.ts";

/**
 * Two replicas on one durable Postgres in bad weather. Written to through both, watched through one, and judged by a file
 * outside of the system. The same seed brings the same storm: WEATHER_SEED=123 npm test -- weather replicas.
 */
const seed = Number(process.env.WEATHER_SEED ?? Date.now() % 1_000_000);
const bench = openBench(afterAll);
const counters = ["counter-0", "counter-1", "counter-2"];
const ledger = openLedger<Change>(join(bench.folder(), "ledger"));
let postgres: PrivatePostgres;
let a: { replica: Replica; proxy: TcpProxy };
let b: { replica: Replica; proxy: TcpProxy };
let api: Api;

async function replica(name: string) {
  const proxy = await openProxy(bench, postgres.port);
  const url = postgres.url().replace(`:${postgres.port}/`, `:${proxy.port}/`);
  return { proxy, replica: await startReplica(bench, name, url) };
}

beforeAll(async () => {
  postgres = await startPostgres(bench);
  a = await replica("a");
  api = await setUp(a.replica.url, a.replica.server.setupLink);
  b = await replica("b");
  for (const name of [...counters, "solo"]) {
    const body = project(name, { displayName: "0" });
    const made = await api.call("PUT", `/api/v1/organizations/acme/projects/${name}`, { body });
    expect(made.status).toBe(201);
  }
});

test(`a minute of bad weather loses nothing, doubles nothing and leaves nothing behind (seed ${seed})`, async () => {
  const startedAt = performance.now();
  const story: string[] = [];
  const log = (what: string) =>
    story.push(`${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${what}`);
  onTestFailed(() => {
    console.error(`seed ${seed}\n${story.join("\n")}`);
    for (const { replica: one } of [a, b]) console.error(`${one.name}: ${one.server.stderr().slice(-3000)}`);
  });
  const token = api.token ?? "";
  const urls = [a.replica.url, b.replica.url];
  const since = (await api.call("GET", "/api/v1/organizations/acme/projects?limit=1")).body.revision;
  const files = { a: a.replica.server.files(), b: b.replica.server.files() };

  const watcher = startWatcher(a.replica.url, token, since);
  const writers = startWriters(8, { urls, token, ledger, counters, seed });
  const solo = startSoloWriter(urls, token, "solo");
  await storm({ postgres, a, b, random: seeded(seed), log });
  log("the weather is fine again");
  const fineAt = performance.now();
  await sleep(1000);
  await Promise.all([writers.stop(), solo.stop()]);
  log(`the last change is known: ${JSON.stringify(writers.figures)}`);

  const evidence = { postgres, ledger: ledger.read(), since, counters };
  expect(evidence.ledger.length, "there was something to lose").toBeGreaterThan(300);
  for (const { proxy } of [a, b]) expect(Math.min(proxy.cut.before, proxy.cut.after)).toBeGreaterThan(0);

  const leftMs = leaseMs + 30_000 - (performance.now() - fineAt);
  await untilNothing("I11: everything to settle", () => findings.unsettled(evidence), leftMs);
  log("everything has settled");
  for (const { replica: one } of [a, b]) {
    const lane = await openApi(one.url, token).call("GET", "/api/v1/debug/lane");
    expect([one.name, lane.body.items[0].waiting]).toEqual([one.name, 0]);
  }
  const end = (await api.call("GET", "/api/v1/organizations/acme/projects?limit=1")).body.revision;
  await until("the watcher to hear the end", () => watcher.position >= end, 60_000);
  await watcher.stop();

  expect(await findings.brokenAcknowledgements(evidence), "I1").toEqual([]);
  expect(await findings.brokenCounters(evidence), "I1").toEqual([]);
  expect(solo.conflictsWithItself, "a commit whose answer was lost is carried out once").toEqual([]);
  expect(solo.refusals).toEqual([]);
  expect(await findings.brokenSolo(evidence, solo.acknowledged), "I1").toEqual([]);
  expect(await findings.brokenHistories(evidence), "I3").toEqual([]);
  expect(watcher.refusals).toEqual([]);
  expect(await findings.brokenWatch(evidence, watcher), "watch").toEqual([]);
  expect(await findings.brokenAudit(evidence), "I13").toEqual([]);
  await untilNothing("I14: nothing to be held open", () => findings.leaks(evidence), 60_000);
  // A pool may have grown to 16 connections since.
  expect(a.replica.server.files(), "I14: files of A").toBeLessThan(files.a + 30);
  expect(b.replica.server.files(), "I14: files of B").toBeLessThan(files.b + 30);
  const seen = await Promise.all(urls.map((url) => listNames({ ...api, url })));
  expect(seen[0]).toEqual(seen[1]);
  for (const { replica: one } of [a, b]) await one.stop();
  console.info(
    `seed ${seed}: ${JSON.stringify(writers.figures)}, ${watcher.heard.length} changes heard over ${watcher.reconnects} reconnects, ${story.length} faults`,
  );
});

async function listNames({ url, token }: Pick<Api, "url" | "token">): Promise<string[]> {
  const names: string[] = [];
  for (let next = ""; ; ) {
    const path = `/api/v1/organizations/acme/projects?limit=1000${next && `&continue=${next}`}`;
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    const page = (await response.json()) as { items: { metadata: { name: string } }[]; continue?: string };
    names.push(...page.items.map(({ metadata }) => metadata.name));
    if (page.continue === undefined) return names;
    next = page.continue;
  }
}
