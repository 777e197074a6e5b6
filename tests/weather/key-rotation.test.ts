import { randomBytes } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, type Api, type CallOptions, openApi, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type PrivatePostgres, startPostgres } from "../harness/private-postgres.ts";
import { type Replica, startReplica } from "../harness/replicas.ts";
import { until } from "../harness/until.ts";

/**
 * Two replicas with one key file, whose keys are rotated while secrets are read and written through both and whoever rotates
 * is killed. No read may fail, no written value may be lost, and no old key may go while it is needed. Then one of them alone,
 * killed while it seals and opens what an organization has.
 */
const bench = openBench(afterAll);
const keyFile = join(bench.folder(), "root.key");
const secrets = Array.from({ length: 12 }, (_, at) => `/api/v1/organizations/acme/secrets/s-${at}`);
/** Enough that a rotation takes some seconds, and can be interrupted. */
const fillers = 8000;
let postgres: PrivatePostgres;
let a: Replica;
let b: Replica;
let api: Api;

interface Key {
  readonly id: string;
  readonly level: "root" | "scope";
  readonly organization: string | null;
  readonly state: "current" | "retired";
  readonly holds: number;
}

beforeAll(async () => {
  newRootKey();
  postgres = await startPostgres(bench);
  a = await startReplica(bench, "a", postgres.url(), { REEVE_ROOT_KEY_FILE: keyFile });
  api = await setUp(a.url, a.server.setupLink);
  b = await startReplica(bench, "b", postgres.url(), { REEVE_ROOT_KEY_FILE: keyFile });
  for (const path of [...secrets, filled]) {
    await done(anywhere("PUT", path, { body: { spec: {} } }));
    await done(anywhere("POST", `${path}/actions/set`, { body: { values: { password: "0" } } }));
  }
  await postgres.query(
    `insert into secret_version (secret_uid, version, sealed)
     select v.secret_uid, 1000 + n, v.sealed from secret_version v join resource r on r.uid = v.secret_uid,
       generate_series(1, $1::int) as n where r.name = 'filled'`,
    [fillers],
  );
});

const filled = "/api/v1/organizations/acme/secrets/filled";

function newRootKey(): void {
  appendFileSync(keyFile, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
}

/** Asks one of the two; only a replica that is not there is forgiven, and then the other must answer. */
async function anywhere(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const [first, second] = Math.random() < 0.5 ? [a, b] : [b, a];
  const call = (replica: Replica) => openApi(replica.url, api.token).call(method, path, options);
  return call(first).catch(() => call(second));
}

async function done(answering: Promise<Answer>): Promise<Answer["body"]> {
  const answer = await answering;
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body;
}

const keys = async (): Promise<Key[]> => (await done(anywhere("GET", "/api/v1/keys"))).items;

async function held(id: string): Promise<number | undefined> {
  return (await keys()).find((key) => key.id === id)?.holds;
}

/** Holds all scope keys under a root key but the first: whoever renews them does that one, and waits at the next. */
async function holdScopeKeys(root: string) {
  const client = new pg.Client({ connectionString: postgres.url() });
  await client.connect();
  await client.query("begin");
  const { rows } = await client.query(
    `select 1 from scope_key where id in (select id from scope_key where root = $1 order by id offset 1)
     for no key update`,
    [root],
  );
  expect(rows.length, "scope keys to be held").toBeGreaterThan(1);
  return {
    count: rows.length,
    isWaitedFor: async () =>
      (await held(root)) === rows.length &&
      (
        await postgres.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'update scope_key%'",
        )
      ).length > 0,
    async release() {
      await client.query("rollback");
      await client.end();
    },
  };
}

/** kill -9 of the replica that carries rotations on, and its return. */
async function crashTheRotator(): Promise<void> {
  const [row] = await postgres.query<{ holder: string }>("select holder from bucket where bucket = 0");
  const victim = row?.holder === "a" ? a : b;
  await victim.crash();
  await victim.start();
}

/** Reads and writes until it is stopped; each secret has one writer, which knows what it last wrote. */
function startLoad() {
  const failures: string[] = [];
  const figures = { reads: 0, writes: 0 };
  const written = new Map<string, number>(secrets.map((path) => [path, 0]));
  let going = true;

  async function write(path: string): Promise<void> {
    for (let number = 1; going; number++) {
      const values = { password: String(number) };
      // Repeated by the same key, a write that was carried out just before a crash is not doubled.
      const headers = { "idempotency-key": `${path}-${number}` };
      const answer = await anywhere("POST", `${path}/actions/set`, { body: { values }, headers });
      if (answer.status !== 200) failures.push(`set ${path}: ${answer.status} ${answer.text}`);
      written.set(path, number);
      figures.writes++;
    }
  }

  async function read(): Promise<void> {
    while (going) {
      const path = secrets[Math.floor(Math.random() * secrets.length)] ?? "";
      const least = written.get(path) ?? 0;
      const answer = await anywhere("POST", `${path}/actions/reveal`, { body: {} });
      const seen = Number(answer.body?.values?.password);
      if (answer.status !== 200 || !(seen >= least))
        failures.push(`reveal ${path}: ${answer.status} ${answer.text}, at least ${least} was written`);
      figures.reads++;
    }
  }

  const running = [...secrets.slice(0, 4).map(write), read(), read(), read(), read()];
  return {
    failures,
    figures,
    written,
    async stop() {
      going = false;
      await Promise.all(running);
    },
  };
}

test("keys are rotated under load, and whoever does it is killed in the middle: no read fails, nothing is lost", async () => {
  const load = startLoad();
  const before = await keys();
  const scopeKey = before.find((key) => key.organization === "acme")?.id ?? "";
  const rootKey = before.find((key) => key.level === "root")?.id ?? "";

  await done(anywhere("POST", "/api/v1/keys/rotate", { body: { level: "scope" } }));
  const some = async () => {
    const left = await held(scopeKey);
    return left !== undefined && left > 0 && left < fillers;
  };
  await until("the rotation to be in its middle", some, 60_000);
  const early = await anywhere("DELETE", `/api/v1/keys/${scopeKey}`);
  expect({ status: early.status, detail: early.body.detail }).toMatchObject({
    status: 409,
    detail: expect.stringMatching(/still closes \d+ values/),
  });
  await crashTheRotator();
  expect(await held(scopeKey), "it was killed in the middle").toBeGreaterThan(0);

  newRootKey();
  const holder = await holdScopeKeys(rootKey);
  expect((await done(anywhere("POST", "/api/v1/keys/rotate", { body: { level: "root" } }))).retired).toEqual([
    rootKey,
  ]);
  await until("the root key's rotation to be in its middle", holder.isWaitedFor, 60_000);
  await crashTheRotator();
  // The dead one's last question is still with the database, and may be answered: one more was left for whoever comes next.
  expect(await held(rootKey), "it was killed in the middle").toBe(holder.count);
  await holder.release();

  await until("the old scope key to close nothing", async () => (await held(scopeKey)) === 0, 120_000);
  await until("the old root key to close nothing", async () => (await held(rootKey)) === 0, 60_000);
  await load.stop();
  expect(load.failures).toEqual([]);
  expect(Math.min(load.figures.reads, load.figures.writes), "there was load").toBeGreaterThan(100);

  for (const [path, number] of load.written)
    expect((await done(anywhere("POST", `${path}/actions/reveal`, { body: {} }))).values).toEqual({
      password: String(number),
    });
  await done(anywhere("DELETE", `/api/v1/keys/${rootKey}`));
  await postgres.query("update scope_key set since = now() - interval '11 minutes' where state = 'retired'");
  await done(anywhere("DELETE", `/api/v1/keys/${scopeKey}`));

  // Without the old root key's line, on a replica that has opened nothing yet.
  writeFileSync(keyFile, readFileSync(keyFile, "utf8").split("\n").slice(1).join("\n"));
  await a.crash();
  await a.start();
  const fresh = await openApi(a.url, api.token).call("POST", `${filled}/actions/reveal`, { body: {} });
  expect(fresh.body.values).toEqual({ password: "0" });
});

/** How the specs and the past of the organization lie in the database. */
async function sealedOf(table: "resource" | "change"): Promise<(boolean | null)[]> {
  const sealed = table === "change" ? "object like '$sealed:%'" : "spec ? '$sealed'";
  const rows = await postgres.query<{ sealed: boolean }>(
    `select distinct ${sealed} as sealed from ${table} where scope = 'acme' or scope like 'acme/%'`,
  );
  return rows.map((row) => row.sealed);
}

test("what an organization has is sealed, and opened again, though whoever does it is killed in the middle of both", {
  timeout: 240_000,
}, async () => {
  await b.stop();
  const organization = "/api/v1/organizations/acme";
  const one = `${organization}/projects/one`;
  const past = async (): Promise<object> => (await done(api.call("GET", `${one}/history`))).items;
  for (const description of ["first words", "second words"])
    await done(api.call("PUT", one, { body: { spec: { description } } }));
  const before = await past();
  const holder = new pg.Client({ connectionString: postgres.url() });
  await holder.connect();
  for (const wanted of [true, false]) {
    // Whoever seals has done the specs by the time that it comes to these, and waits here to be killed.
    await holder.query("begin");
    await holder.query("select 1 from change where scope = 'acme' or scope like 'acme/%' for update");
    await done(api.call("PATCH", organization, { body: { spec: { encryptAtRest: wanted } } }));
    const inTheMiddle = async () =>
      (await sealedOf("resource")).join() === String(wanted) &&
      (await postgres.query("select 1 from pg_locks where not granted")).length > 0;
    await until("the specs to have followed, and the changes to be waited for", inTheMiddle, 60_000);
    await a.crash();
    expect(await sealedOf("change"), "some are not as they are wanted").toContain(!wanted);
    await a.start();
    expect(await past(), "read in the middle").toEqual(before);
    await holder.query("rollback");
    await until(
      "all of it to have followed",
      async () => {
        const { conditions = [] } = (await done(api.call("GET", organization))).status;
        return conditions.some(
          (told: { type: string; status: string }) =>
            told.type === "EncryptedAtRest" && told.status === String(wanted),
        );
      },
      120_000,
    );
    for (const table of ["resource", "change"] as const) expect(await sealedOf(table)).toEqual([wanted]);
    expect(await past(), "read at the end").toEqual(before);
  }
  await holder.end();
});
