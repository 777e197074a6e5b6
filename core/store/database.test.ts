import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "./database.ts";
import { testDatabase } from "./testing.ts";

/** Where a test's database is: its socket, and its name. */
function reachable(url: string): { socket: string; pathname: string } {
  const { searchParams, pathname } = new URL(url.replace("postgres://reeve@/", "postgres://reeve@x/"));
  return { socket: `${searchParams.get("host")}/.s.PGSQL.5432`, pathname };
}

/** Has one connection die in the same packet that brings its answer to `select 'last words'`, as when Postgres is killed. */
async function dyingProxy(url: string): Promise<{ port: number; died: () => boolean }> {
  const body = Buffer.from("SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0");
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(body.length + 4, 1);
  let died = false;
  const server = createServer((client: Socket) => {
    const upstream = connect(reachable(url).socket);
    for (const one of [client, upstream]) one.on("error", () => {}).on("close", () => upstream.destroy());
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
      if (died || !bytes.includes("last words")) return void client.write(bytes);
      died = true;
      client.end(Buffer.concat([bytes, head, body]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, died: () => died };
}

/** Stands between us and Postgres and cuts the connection when it sees COMMIT, after passing it on or instead. */
async function cuttingProxy(url: string, passOn: boolean): Promise<{ url: string; cuts: () => number }> {
  const { socket, pathname } = reachable(url);
  let cuts = 0;
  const server = createServer((client: Socket) => {
    const upstream = connect(socket);
    client.on("error", () => {});
    upstream.on("error", () => {});
    upstream.pipe(client);
    client.on("data", (bytes) => {
      const committing = bytes.toString("latin1").includes("\vcommit\0") && cuts < 3;
      if (!committing) return void upstream.write(bytes);
      cuts++;
      if (passOn) upstream.write(bytes, () => setTimeout(() => upstream.destroy(), 30));
      else upstream.destroy();
      client.destroy();
    });
    client.on("close", () => setTimeout(() => upstream.destroy(), 50));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return {
    url: `postgres://reeve@127.0.0.1:${(server.address() as { port: number }).port}${pathname}`,
    cuts: () => cuts,
  };
}

test.each([true, false])(
  "a transaction whose COMMIT got no answer is carried out exactly once (COMMIT arrived: %s)",
  async (passOn) => {
    const { url, database } = await testDatabase();
    await database.query("create table tally (n int)");
    const proxy = await cuttingProxy(url, passOn);
    const through = openDatabase({ url: proxy.url, connections: 2 });
    const result = await through.transact(async (sql) => {
      await sql.query("insert into tally values (1)");
      return "done";
    });
    expect(result).toBe("done");
    expect(proxy.cuts()).toBeGreaterThan(0);
    expect(await database.query("select count(*) as count from tally")).toEqual([{ count: 1 }]);
    await through.close();
  },
);

/** A table, and a way to it on which COMMIT is carried out but not answered; who then asks for the mark meets others so many times. */
async function inDoubt(times: number) {
  const { url, database } = await testDatabase();
  await database.query("create table tally (n int)");
  await database.query("create sequence asked");
  await database.query(`create function meet() returns trigger language plpgsql as $$ begin
    if exists (select 1 from lane_mark where id = new.id) and nextval('asked') <= ${times} then
      raise exception using errcode = '40001';
    end if;
    return new; end $$`);
  await database.query("create trigger meet before insert on lane_mark for each row execute function meet()");
  const proxy = await cuttingProxy(url, true);
  return { database, proxy };
}

test("a transaction in doubt stays so while asking for its mark only meets others", async () => {
  const { database, proxy } = await inDoubt(1);
  const through = openDatabase({ url: proxy.url, connections: 2 });
  await through.transact((sql) => sql.query("insert into tally values (1)"));
  expect(proxy.cuts()).toBeGreaterThan(0);
  expect(await database.query("select last_value from asked")).toEqual([{ last_value: 2 }]);
  expect(await database.query("select count(*) as count from tally")).toEqual([{ count: 1 }]);
  await through.close();
});

test("of a transaction that is still in doubt nobody says that nothing was changed", async () => {
  const { database, proxy } = await inDoubt(1_000_000);
  const through = openDatabase({ url: proxy.url, connections: 2, patienceMs: 300 });
  await expect(through.transact((sql) => sql.query("insert into tally values (1)"))).rejects.toMatchObject({
    kind: "unavailable",
    message: "the database cannot be reached right now",
  });
  expect(await database.query("select count(*) as count from tally")).toEqual([{ count: 1 }]);
  await through.close();
});

test("a serialisation failure and a deadlock are run again", async () => {
  const { database } = await testDatabase();
  let tries = 0;
  await database.transact(async (sql) => {
    tries++;
    if (tries === 1) await sql.query("do $$ begin raise exception using errcode = '40001'; end $$");
    if (tries === 2) await sql.query("do $$ begin raise exception using errcode = '40P01'; end $$");
  });
  expect(tries).toBe(3);
});

test.each(["40001", "40P01"])(
  "who only met others (%s) is told so after some patience, and not that the database is away",
  async (code) => {
    const { url } = await testDatabase();
    const database = openDatabase({ url, patienceMs: 300 });
    const meetsOthers = database.transact((sql) =>
      sql.query(`do $$ begin raise exception using errcode = '${code}'; end $$`),
    );
    await expect(meetsOthers).rejects.toMatchObject({
      kind: "unavailable",
      message: "others kept changing the same at the same time",
      next: expect.stringContaining("try again in a moment"),
    });
    expect(database.awaySince).toBeUndefined();
    await database.close();
  },
);

test("a wrong statement fails at once and is not repeated", async () => {
  const { database } = await testDatabase();
  let tries = 0;
  await expect(
    database.transact(async (sql) => {
      tries++;
      await sql.query("select nothing from nowhere");
    }),
  ).rejects.toThrow("nowhere");
  expect(tries).toBe(1);
});

test("a database that is away is answered as unavailable, after some patience", async () => {
  const database = openDatabase({ url: "postgres://reeve@127.0.0.1:1/none", patienceMs: 300 });
  await expect(database.query("select 1")).rejects.toMatchObject({ kind: "unavailable" });
  expect(database.awaySince).toBeDefined();
  await database.close();
});

test("a database that no longer takes connections at its socket is away as well", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-stuck-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // It lets two wait, and never gets to them.
  const listen = `require("net").createServer().listen({ path: "${folder}/.s.PGSQL.5432", backlog: 1 }, () => console.log("ready"))`;
  const stuck = spawn(process.execPath, ["-e", listen], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void stuck.kill("SIGKILL"));
  await once(stuck.stdout, "data");
  stuck.kill("SIGSTOP");
  const url = `postgres://reeve@/reeve?host=${encodeURIComponent(folder)}`;
  const troubles = new Set<unknown>();
  const database = openDatabase({
    ...{ url, patienceMs: 300 },
    onTrouble: (trouble, error) => troubles.add(`${trouble} ${(error as { code?: string }).code}`),
  });
  onTestFinished(() => database.close());
  const asked = Array.from({ length: 5 }, () => database.query("select 1"));
  for (const one of await Promise.allSettled(asked))
    expect(one).toMatchObject({ status: "rejected", reason: { kind: "unavailable" } });
  expect(troubles).toContain("away EAGAIN");
});

test("a connection that dies in the moment in which it is handed on ends nothing but itself", async () => {
  const { url } = await testDatabase();
  const { port, died } = await dyingProxy(url);
  const { pathname } = reachable(url);
  const database = openDatabase({ url: `postgres://reeve@127.0.0.1:${port}${pathname}`, connections: 1 });
  const first = database.query("select 'last words' as said");
  const second = database.transact((sql) => sql.query("select 2 as two"));
  expect(await first).toEqual([{ said: "last words" }]);
  expect(await second).toEqual([{ two: 2 }]);
  expect(died()).toBe(true);
  await database.close();
});

test.each([
  ["53100", "the database's disk is full", "make room on it"],
  ["53200", "the database is out of memory", "more memory"],
  ["58030", "the database cannot read or write its files", "the log of Postgres"],
  ["57014", "the database took too long", "what keeps it busy"],
])("a shortage (%s) is not tried again, and the answer says what to do", async (code, what, remedy) => {
  const { database } = await testDatabase();
  const lacking = `do $$ begin raise exception using errcode = '${code}'; end $$`;
  await expect(database.query(lacking)).rejects.toMatchObject({
    kind: "unavailable",
    message: what,
    next: expect.stringContaining(remedy),
  });
});

test("every connection plans as was measured, not as its statistics of the moment say", async () => {
  const { database } = await testDatabase();
  const [seen] = await database.query(
    "select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans, current_setting('jit') as jit",
  );
  expect(seen).toEqual({ plans: "force_generic_plan", scans: "off", jit: "off" });
});
