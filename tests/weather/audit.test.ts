import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, openApi, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type PrivatePostgres, startPostgres } from "../harness/private-postgres.ts";
import { type Replica, startReplica } from "../harness/replicas.ts";
import { until } from "../harness/until.ts";

/** Who seals the audit: the replica that holds the first bucket, and nobody else while its lease lasts. */
const handOverMs = 10_000 + 5000 + 15_000;
const bench = openBench(afterAll);
let postgres: PrivatePostgres;
let replicas: readonly [Replica, Replica];
let token: string | undefined;

beforeAll(async () => {
  postgres = await startPostgres(bench);
  const a = await startReplica(bench, "a", postgres.url());
  token = (await setUp(a.url, a.server.setupLink)).token;
  const b = await startReplica(bench, "b", postgres.url());
  replicas = [a, b];
});

interface State {
  readonly holder: string | null;
  readonly unsealed: number;
}

/** As of one moment. */
async function state(): Promise<State> {
  const [row] = await postgres.query<State>(
    `select (select holder from bucket where bucket = 0 and until > now()) as holder,
       (select count(*)::int from audit where revision > (select revision from audit_sealed)) as unsealed`,
  );
  return row as State;
}

async function sealer(): Promise<{ holder: Replica; other: Replica }> {
  await until("somebody to hold the first bucket", async () => (await state()).holder !== null, handOverMs);
  const { holder: name } = await state();
  const [a, b] = replicas;
  return name === a.name ? { holder: a, other: b } : { holder: b, other: a };
}

let made = 0;
async function write(api: Api): Promise<void> {
  const name = `project-${++made}`;
  const answer = await api.call("PUT", `/api/v1/organizations/acme/projects/${name}`, { body: {} });
  if (answer.status !== 201) throw new Error(answer.text);
}

const allSealed = () =>
  until("everything to be sealed", async () => (await state()).unsealed === 0, handOverMs);

async function expectIntact(api: Api): Promise<void> {
  const { body } = await api.call("POST", "/api/v1/audit/verify", { body: {} });
  expect(body.items.flatMap((proof: { findings: object[] }) => proof.findings)).toEqual([]);
  expect(body.items.map((proof: { organization: string }) => proof.organization)).toEqual(["", "acme"]);
}

test("only the holder of the first bucket seals; when it sleeps, the other takes over with its lease", async () => {
  const { holder, other } = await sealer();
  const api = openApi(other.url, token);
  await write(api);
  await allSealed();
  holder.pause();
  try {
    await write(api);
    const seen: State[] = [];
    await until(
      "the other to seal",
      async () => {
        seen.push(await state());
        return seen.at(-1)?.unsealed === 0;
      },
      handOverMs,
    );
    const early = seen.filter((one) => one.unsealed === 0 && one.holder === holder.name);
    expect(early, "nobody seals while the sleeper's lease lasts").toEqual([]);
    expect(seen.filter((one) => one.holder === holder.name).length).toBeGreaterThan(3);
    expect(seen.at(-1)?.holder).toBe(other.name);
  } finally {
    holder.resume();
  }
  await write(api);
  await allSealed();
  await expectIntact(api);
});

test("a sealer killed again and again while records come in leaves one whole chain", async () => {
  for (let round = 0; round < 2; round++) {
    const { holder, other } = await sealer();
    const api = openApi(other.url, token);
    const before = await links();
    const writing = Promise.all(
      [1, 2, 3, 4].map(async () => {
        for (let turn = 0; turn < 100; turn++) await write(api);
      }),
    );
    await until("some of them to be sealed", async () => (await links()) > before + 20);
    await holder.crash();
    await writing;
    await allSealed();
    await expectIntact(api);
    await holder.start();
  }
  await allSealed();
  const [records] = await postgres.query<{ count: number }>("select count(*)::int as count from audit");
  expect(await links()).toBe(records?.count);
});

async function links(): Promise<number> {
  const [row] = await postgres.query<{ count: number }>("select count(*)::int as count from audit_chain");
  return row?.count ?? 0;
}
