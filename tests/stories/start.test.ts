import { chmodSync, existsSync, mkdirSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../core/store/testing.ts";
import { type Acknowledged, makeProjects, missing } from "../harness/acknowledged.ts";
import { type Api, openApi, password, project, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openWatch } from "../harness/event-stream.ts";
import { openLedger } from "../harness/ledger.ts";
import { endPid, isAlive, signalPid } from "../harness/processes.ts";
import {
  embeddedPid,
  launchServer,
  refusedServer,
  type ServerProcess,
  startServer,
} from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** Starting, stopping and being killed: what a folder and a database remember, and what a start refuses. */

describe("the life of one data folder on the embedded database", () => {
  const bench = openBench(afterAll);
  const folder = bench.folder();
  const data = join(folder, "data");
  const ledger = openLedger<Acknowledged>(join(bench.folder(), "acknowledged"));
  let server: ServerProcess;
  let api: Api;
  let about: { timeline: string };

  const start = async () => {
    server = await startServer(bench, { data, cwd: folder });
    if (api?.token !== undefined) api = server.api(api.token);
  };
  const postgres = () => {
    const pid = embeddedPid(data);
    if (pid === undefined) throw new Error("there is no Postgres on this folder");
    return pid;
  };

  test("the setup link is printed at the very first start only; a lost one is replaced on request", async () => {
    await start();
    const first = server.setupLink;
    expect(first).toBeDefined();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    await start();
    expect(server.setupLink).toBeUndefined();
    expect(server.stdout()).toContain("Nobody has used the setup link yet; `npm start -- --setup-link`");

    const asked = await refusedServer(bench, { data, cwd: folder, args: ["--setup-link"] });
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(asked.stdout).toMatch(/^http:\/\/\S+\/setup#reeve_setup_\S+\n$/);
    await expect(setUp(server.url, first)).rejects.toThrow("it was used, or replaced by a newer one");
    api = await setUp(server.url, asked.stdout.trim());
    const again = await refusedServer(bench, { data, cwd: folder, args: ["--setup-link"] });
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toContain("has been set up already: sign in as its administrator");
    expect((await api.call("GET", "/readyz")).status, "the server was not disturbed").toBe(200);
  });

  test("a stop ends Postgres too, quietly; the next start finds everything", async () => {
    const body = project("kept", { displayName: "Kept" });
    expect((await api.call("PUT", "/api/v1/organizations/acme/projects/kept", { body })).status).toBe(201);
    about = (await api.call("GET", "/api/v1/server")).body;
    const pid = postgres();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toBe("");
    expect(isAlive(pid)).toBe(false);

    await start();
    expect(server.stdout()).not.toMatch(/setup/);
    expect((await api.call("GET", "/api/v1/server")).body.timeline).toBe(about.timeline);
    const kept = await api.call("GET", "/api/v1/organizations/acme/projects/kept");
    expect(kept.body.spec).toEqual({ displayName: "Kept" });
    const login = { user: "ada", password };
    expect((await openApi(server.url).call("POST", "/api/v1/sessions", { body: login })).status).toBe(201);
  });

  test("a second server on the same folder is refused and disturbs nobody", async () => {
    const second = await refusedServer(bench, { data, cwd: folder });
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toMatch(
      /^reeve: cannot start: another Reeve server is running on this data folder: stop it, or set REEVE_DATA/,
    );
    expect((await api.call("GET", "/api/v1/organizations/acme/projects/kept")).status).toBe(200);
  });

  test("kill -9 of the server: nothing that was acknowledged is missing", async () => {
    const writing = makeProjects(api, ledger, "server");
    await until("200 acknowledged projects", () => writing.made() >= 200);
    const pid = postgres();
    await server.crash();
    await writing.ended;
    await start();
    expect(postgres(), "it goes on with the Postgres that outlived it").toBe(pid);
    expect(await missing(api, ledger)).toEqual([]);
  });

  test("kill -9 of the server and of Postgres at once: nothing that was acknowledged is missing", async () => {
    const writing = makeProjects(api, ledger, "both");
    await until("200 acknowledged projects", () => writing.made() >= 200);
    signalPid(postgres(), "SIGKILL");
    await server.crash();
    await writing.ended;
    await start();
    expect(await missing(api, ledger)).toEqual([]);
  });

  test("Postgres killed under a running server comes back by itself, and the server goes on", async () => {
    const pid = postgres();
    await endPid(pid, "SIGKILL");
    const path = "/api/v1/organizations/acme/projects/after";
    // Not a single refusal in between: a passing outage is waited out.
    expect((await api.call("PUT", path, { body: project("after") })).status).toBe(201);
    expect(postgres()).not.toBe(pid);
    await until("readiness", async () => (await api.call("GET", "/readyz")).status === 200);
    expect(await missing(api, ledger)).toEqual([]);
    const second = await refusedServer(bench, { data, cwd: folder });
    expect(second.stderr, "the folder is still held").toContain("another Reeve server is running");
  });

  test("SIGTERM while many are being made: every acknowledged one is there", async () => {
    const writing = makeProjects(api, ledger, "stopped", 8);
    await until("100 acknowledged projects", () => writing.made() >= 100);
    // One request for many is under way too: it is answered, each of its parts with its own verdict.
    const resources = Array.from({ length: 500 }, (_, at) => project(`bulk-${at}`));
    const bulk = api.call("POST", "/api/v1/apply", { body: { resources } });
    // Its parts are committed one by one: when the first is there, it is under way.
    const first = "/api/v1/organizations/acme/projects/bulk-0";
    await until("the many to have begun", async () => (await api.call("GET", first)).status === 200);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    await writing.ended;
    const { results } = (await bulk).body;
    expect(results).toHaveLength(500);
    for (const { outcome, resource, problem } of results)
      if (outcome === "created") ledger.write({ ...resource.metadata });
      else expect(problem).toMatchObject({ kind: "unavailable" });
    await start();
    expect(await missing(api, ledger)).toEqual([]);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });
});

describe("a first start that does not come to its end", () => {
  test("killed half-way, it leaves nothing in the way of the next", async () => {
    const bench = openBench(onTestFinished);
    const folder = bench.folder();
    const data = join(folder, "data");
    const first = launchServer(bench, { data, cwd: folder }).running;
    await until("the database to be in the making", () => findMaking(data));
    await sleep(200);
    first.kill("SIGKILL");
    await first.ended;
    const server = await startServer(bench, { data, cwd: folder });
    // Unless it was so quick that it had told its own.
    if (!first.stdout().includes("/setup#")) expect(server.setupLink).toBeDefined();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  test("stopped while it starts, it stops in order and leaves no Postgres behind", async () => {
    const bench = openBench(onTestFinished);
    const folder = bench.folder();
    const data = join(folder, "data");
    const { running } = launchServer(bench, { data, cwd: folder });
    const pid = await until("Postgres to be there", () => embeddedPid(data));
    running.kill("SIGTERM");
    expect(await running.ended).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(false);
  });

  test("two at the same moment on one empty folder: one serves, the other is refused", async () => {
    const bench = openBench(onTestFinished);
    const folder = bench.folder();
    const data = join(folder, "data");
    const both = [0, 1].map(() => launchServer(bench, { data, cwd: folder }).running);
    await until("one to be refused", () => both.some((one) => one.hasEnded()), startMs);
    const [loser, winner] = both[0]?.hasEnded() ? both : both.toReversed();
    expect(await loser?.ended).toEqual({ code: 1, signal: null });
    expect(loser?.stderr()).toContain("another Reeve server is running on this data folder");
    await until("the other to serve", () => winner?.stdout().includes("Reeve is ready"), startMs);
  });
});

/** Two first starts at once, which make a database. */
const startMs = 150_000;

function findMaking(data: string): boolean {
  return existsSync(data) && readdirSync(data).some((name) => name.startsWith("postgres.new-"));
}

test("started as root below a folder closed to others, the embedded database works all the same", async () => {
  const bench = openBench(onTestFinished);
  const closed = join(bench.folder(), "root");
  mkdirSync(closed);
  chmodSync(closed, 0o700);
  const server = await startServer(bench, { data: join(closed, ".reeve"), cwd: closed });
  await setUp(server.url, server.setupLink);
  expect(readlinkSync(join(closed, ".reeve", "postgres"))).toMatch(/^\/var\/lib\/reeve\//);
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  const again = await startServer(bench, { data: join(closed, ".reeve"), cwd: closed });
  expect(again.setupLink).toBeUndefined();
});

describe("folder and database must belong together", () => {
  test("an unexpectedly empty database stops the start; --bootstrap begins anew, once", async () => {
    const bench = openBench(onTestFinished);
    const first = await testDatabase();
    const data = join(bench.folder(), "data");
    const founded = await startServer(bench, { data, settings: { REEVE_DATABASE_URL: first.url } });
    await setUp(founded.url, founded.setupLink);
    await founded.stop();

    const empty = { REEVE_DATABASE_URL: (await testDatabase({ template: "template1" })).url };
    const refused = await refusedServer(bench, { data, settings: empty });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /the database is empty, but the data folder .*data belongs to the install/,
    );
    expect(refused.stderr).toContain("restore a backup");
    expect(refused.stderr).toContain("--bootstrap");

    const begun = await startServer(bench, { data, settings: empty, args: ["--bootstrap"] });
    expect(begun.setupLink, "a new installation has a new first administrator").toBeDefined();
    await begun.stop();
    const next = await startServer(bench, { data, settings: empty });
    expect(next.setupLink).toBeUndefined();
    await next.stop();

    const back = await refusedServer(bench, { data, settings: { REEVE_DATABASE_URL: first.url } });
    expect(back.stderr, "the folder belongs to the new one now").toMatch(/belongs to the installation/);
  });

  test("a folder of another installation is refused; --bootstrap takes the folder over and makes no administrator", async () => {
    const bench = openBench(onTestFinished);
    const [one, two] = [await testDatabase(), await testDatabase()];
    const folders = [join(bench.folder(), "data"), join(bench.folder(), "data")] as const;
    const ones = await startServer(bench, { data: folders[0], settings: { REEVE_DATABASE_URL: one.url } });
    const ada = await setUp(ones.url, ones.setupLink);
    await ones.stop();
    const twos = await startServer(bench, { data: folders[1], settings: { REEVE_DATABASE_URL: two.url } });
    await twos.stop();

    const settings = { REEVE_DATABASE_URL: one.url };
    const refused = await refusedServer(bench, { data: folders[1], settings });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /belongs to the installation \S+, the database to \S+\. Point REEVE_DATABASE_URL or REEVE_DATA/,
    );
    const moved = await startServer(bench, { data: folders[1], settings, args: ["--bootstrap"] });
    expect(moved.setupLink).toBeUndefined();
    expect((await moved.api(ada.token).call("GET", "/api/v1/organizations/acme")).status).toBe(200);
  });

  test("a lost folder with the database still there makes nobody administrator anew", async () => {
    const bench = openBench(onTestFinished);
    const settings = { REEVE_DATABASE_URL: (await testDatabase()).url };
    const before = await startServer(bench, { settings });
    const ada = await setUp(before.url, before.setupLink);
    await before.stop();
    const after = await startServer(bench, { settings });
    expect(after.stdout()).not.toMatch(/setup/);
    await expect(setUp(after.url, before.setupLink)).rejects.toThrow("it was used");
    expect((await after.api(ada.token).call("GET", "/api/v1/whoami")).status).toBe(200);
    const asked = await refusedServer(bench, { settings, args: ["--setup-link"] });
    expect(asked).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("a graceful stop", () => {
  test("is unready first, answers what is under way, ends watches with a word, and exits 0", async () => {
    const bench = openBench(onTestFinished);
    const { url: database } = await testDatabase();
    const server = await startServer(bench, { settings: { REEVE_DATABASE_URL: database } });
    const api = await setUp(server.url, server.setupLink);
    const watch = await openWatch(server.url, api.token, "/api/v1/organizations/acme/projects?watch=true");
    await until("the watch to be synced", () => watch.events.some(({ event }) => event === "synced"));

    const probe = await halfSent(server.url, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n");
    const body = JSON.stringify(project("late"));
    const head = [
      "PUT /api/v1/organizations/acme/projects/late HTTP/1.1",
      "Host: localhost",
      "Content-Type: application/json",
      `Authorization: Bearer ${api.token}`,
      `Content-Length: ${body.length}`,
    ];
    const change = await halfSent(server.url, `${head.join("\r\n")}\r\n\r\n${body.slice(0, 20)}`);
    // One that was not read from yet would be closed: headers have 20 s.
    await sleep(2000);
    server.kill("SIGTERM");
    await watch.ended;
    expect(watch.events.at(-1)).toMatchObject({ event: "end", data: { problem: { kind: "unavailable" } } });

    expect(await probe("\r\n")).toMatch(
      /^HTTP\/1\.1 503 [\s\S]*"ready":false,"reasons":\["the server is stopping"\]/,
    );
    expect(await change(body.slice(20))).toMatch(/^HTTP\/1\.1 201 /);
    await expect(api.call("GET", "/livez"), "nothing new is taken").rejects.toThrow();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toBe("");

    const next = await startServer(bench, { settings: { REEVE_DATABASE_URL: database } });
    const late = await next.api(api.token).call("GET", "/api/v1/organizations/acme/projects/late");
    expect(late.status).toBe(200);
  });

  test("does not wait for connections on which nobody asks anything", async () => {
    const bench = openBench(onTestFinished);
    const { url: database } = await testDatabase();
    const server = await startServer(bench, { settings: { REEVE_DATABASE_URL: database } });
    const silent = createConnection(Number(new URL(server.url).port), "127.0.0.1").on("error", () => {});
    await openApi(server.url).call("GET", "/livez");
    const startedAt = performance.now();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt, "it waited out the grace of 10 s").toBeLessThan(10_000);
    silent.destroy();
  });
});

test("roles in two processes: one serves and never reconciles, the other reconciles and never serves", async () => {
  const bench = openBench(onTestFinished);
  const { url: database, database: sql } = await testDatabase();
  const settings = { REEVE_DATABASE_URL: database };
  const front = await startServer(bench, {
    settings: { ...settings, REEVE_ROLES: "api", REEVE_REPLICA: "front" },
  });
  const api = await setUp(front.url, front.setupLink);
  await api.call("PUT", "/api/v1/organizations/acme/projects/shop", { body: project("shop") });
  const inside = {
    apiVersion: "reeve/v1",
    kind: "Workspace",
    metadata: { scope: "acme/shop", name: "prod" },
  };
  const made = await api.call("POST", "/api/v1/organizations/acme/projects/shop/workspaces", {
    body: inside,
  });
  expect(made.status).toBe(201);
  expect((await api.call("DELETE", "/api/v1/organizations/acme/projects/shop")).status).toBe(202);
  await sleep(2500);
  const waiting = await api.call("GET", "/api/v1/organizations/acme/projects/shop/why");
  expect(waiting.body.holds).toEqual([expect.objectContaining({ kind: "Workspace", count: 1 })]);
  expect(await sql.query("select 1 from bucket where holder is not null")).toEqual([]);

  const back = await startServer(bench, {
    settings: { ...settings, REEVE_ROLES: "work", REEVE_REPLICA: "back" },
  });
  expect(back.stdout()).not.toMatch(/http/);
  const gone = async () => (await api.call("GET", "/api/v1/organizations/acme/projects/shop")).status === 404;
  await until("the project to be gone", gone);
  expect(await sql.query("select distinct holder from bucket")).toEqual([{ holder: "back" }]);
  const links = (await api.call("GET", "/api/v1/debug/links")).body.items;
  expect(links.map((link: { name: string; roles: string[] }) => [link.name, link.roles])).toEqual([
    ["back", ["work"]],
    ["front", ["api"]],
  ]);
  expect(await back.stop()).toEqual({ code: 0, signal: null });
});

/** A request that has begun and not ended; the rest of it brings the answer. */
async function halfSent(url: string, text: string): Promise<(rest: string) => Promise<string>> {
  const socket = createConnection(Number(new URL(url).port), "127.0.0.1");
  let said = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()).on("error", () => {}));
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  return async (rest) => {
    socket.write(rest);
    await closed;
    return said;
  };
}

test("the data folder keeps its secrets from other users", async () => {
  const bench = openBench(onTestFinished);
  const data = join(bench.folder(), "data");
  const settings = { REEVE_DATABASE_URL: (await testDatabase()).url, REEVE_TLS_SELF_MADE: "true" };
  const server = await startServer(bench, { data, settings });
  expect(statSync(join(data, "installation.json")).mode & 0o077).toBe(0);
  expect(statSync(join(data, "tls", "key.pem")).mode & 0o077).toBe(0);
  expect(existsSync(join(data, "postgres"))).toBe(false);
  await server.stop();
});
