import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ContainerLine, newUid } from "@reeve/model";
import { expect, onTestFinished, test } from "vitest";
import { type LogBounds, openLogStore, usualBounds } from "./log-store.ts";
import { type LinesAsked, readLines } from "./read-lines.ts";

const web = { name: "shop-web-1", id: "0123456789ab" };
const db = { name: "shop-db-1", id: "ba9876543210" };
const service = newUid();

function store(bounds: Partial<LogBounds> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "reeve-logs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = () => openLogStore(folder, { ...usualBounds, ...bounds });
  return { folder, open, logs: open() };
}

const line = (second: number, text = `line ${second}`): ContainerLine => ({
  container: "",
  stream: "stdout",
  at: new Date(Date.UTC(2026, 0, 31) + second * 1000).toISOString().replace("Z", "000000Z"),
  text,
});

async function texts(logs: ReturnType<typeof openLogStore>, asked: LinesAsked = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const lines of readLines(logs, service, asked, new AbortController().signal))
    found.push(...lines.map(({ container, text }) => `${container} ${text}`));
  return found;
}

test("lines of all containers are read in the order of their times, by container, since, after and tail", async () => {
  const { logs } = store();
  await logs.append(service, web, [line(1), line(3)]);
  await logs.append(service, db, [line(2), line(4)]);
  const all = ["shop-web-1 line 1", "shop-db-1 line 2", "shop-web-1 line 3", "shop-db-1 line 4"];
  expect(await texts(logs)).toEqual(all);
  expect(await texts(logs, { tail: 1 })).toEqual(all.slice(3));
  expect(await texts(logs, { tail: 0 })).toEqual([]);
  expect(await texts(logs, { tail: 100 })).toEqual(all);
  expect(await texts(logs, { container: "db" })).toEqual([all[1], all[3]]);
  expect(await texts(logs, { container: "shop-web-1" })).toEqual([all[0], all[2]]);
  expect(await texts(logs, { since: "2026-01-31T00:00:03Z" })).toEqual(all.slice(2));
  expect(await texts(logs, { after: line(3).at })).toEqual(all.slice(3));
});

test("whoever follows hears what comes, of new containers too, over the change of files", async () => {
  const { logs } = store({ fileBytes: 100 });
  await logs.append(service, web, [line(1)]);
  const over = new AbortController();
  const found: string[] = [];
  const reading = (async () => {
    for await (const lines of readLines(logs, service, { follow: true }, over.signal))
      found.push(...lines.map(({ text }) => text));
  })();
  for (let second = 2; second <= 20; second++)
    await logs.append(service, second % 3 ? web : db, [line(second)]);
  await expect.poll(() => found.length, { timeout: 60_000 }).toBe(20);
  over.abort();
  await reading;
  expect(new Set(found).size).toBe(20);
});

test("what is kept of a service is bounded by bytes and age, and the next process goes on after the last line", async () => {
  const { folder, open, logs } = store({ fileBytes: 1000, serviceBytes: 5000 });
  for (let second = 1; second <= 300; second++)
    await logs.append(service, web, [line(second, "x".repeat(50))]);
  const files = () => readdirSync(join(folder, service)).map((name) => join(folder, service, name));
  const bytes = files().reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThanOrEqual(6200);
  expect(bytes).toBeGreaterThan(3000);
  expect(await open().last(service, web)).toBe(line(300).at);
  expect(await open().last(service, db)).toBeUndefined();
  for (const file of files()) utimesSync(file, new Date(0), new Date(0));
  await logs.prune();
  expect(readdirSync(folder)).toEqual([]);
});

test("the label of a container cannot lead out of the folder", async () => {
  const { logs } = store();
  await expect(logs.append("../../etc", web, [line(1)])).rejects.toThrow("not the uid of a service");
});
