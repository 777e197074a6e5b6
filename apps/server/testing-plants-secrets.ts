import { expect } from "vitest";
import type { TestServer } from "./testing.ts";
import { newCanary, type Plant } from "./testing-canary.ts";
import { done, inScope } from "./testing-people.ts";

/** What is given to Secrets, and to what refers to them. */
export const secretPlants: readonly Plant[] = [
  { what: "values of a secret: set, replaced, removed, rolled back to, revealed", plant: plantValues },
  { what: "a value that the server has made", plant: plantGenerated },
  { what: "values that were sent wrongly", plant: plantMistakes },
  { what: "a value while the database fails, and one whose row was damaged", plant: plantFailures },
  { what: "a value that a spec refers to", plant: plantReference },
];

const shop = inScope("acme/shop");

/** A Secret with these values; its path. */
export async function newSecret(
  server: TestServer,
  name: string,
  values?: Readonly<Record<string, string>>,
  at = shop,
): Promise<string> {
  const path = `${at}/secrets/${name}`;
  await done(server.call("PUT", path, { body: {} }));
  if (values) await done(server.call("POST", `${path}/actions/set`, { body: { values } }));
  return path;
}

async function plantValues(server: TestServer) {
  const secrets = [...Array(4)].map(newCanary);
  const [first, second, third, fourth] = secrets;
  const path = await newSecret(server, "values");
  const set = (body: object) => done(server.call("POST", `${path}/actions/set`, { body }));
  const answers = [
    await set({ values: { a: first, b: second } }),
    await set({ values: { a: third } }),
    await set({ values: { b: null } }),
    await set({ values: { c: fourth }, replace: true }),
    await done(server.call("POST", `${path}/actions/rollback`, { body: { version: 1 } })),
  ];
  // The one answer that shows them, and that is not kept for whoever asks again by the same key.
  const asked = { body: {}, headers: { "idempotency-key": "reveal" } };
  const { body } = await done(server.call("POST", `${path}/actions/reveal`, asked));
  expect(body.values).toEqual({ a: first, b: second });
  return { secrets, answers };
}

async function plantGenerated(server: TestServer) {
  const path = `${shop}/secrets/generated`;
  const spec = { keys: { made: { generate: true } } };
  const made = await done(server.call("PUT", path, { body: { spec } }));
  const version = async () => (await server.call("GET", path)).body.status.version;
  await expect.poll(version, { timeout: 60_000 }).toBe(1);
  const { body } = await done(server.call("POST", `${path}/actions/reveal`, { body: {} }));
  return { secrets: [body.values.made], answers: [made.body] };
}

async function plantMistakes(server: TestServer) {
  const secret = newCanary();
  const path = `${await newSecret(server, "mistakes")}/actions/set`;
  const post = (rawBody: string, to = path) =>
    server.call("POST", to, { rawBody, headers: { "content-type": "application/json" } });
  const answers = [
    await post(`{"values":{"a":${secret}}}`),
    await post(`{"values":{"a":"${secret}"`),
    await post(`{"values":{"a":"${secret}\\ud800"}}`),
    await post(`{"values":{"a":["${secret}"]}}`),
    await post(`{"values":{"a":"${secret}","a":"${secret}"}}`),
    await post(`{"values":{"a b":"${secret}"}}`),
    await post(`{"values":"${secret}"}`),
    await post(`{"values":{"a":"${secret.repeat(10_000)}"}}`),
    await post(`{"values":{"a":"${secret}"}}`, path.replace("mistakes", "missing")),
    await server.call("PUT", `${shop}/secrets/inspec`, { body: { spec: { values: { a: secret } } } }),
    await server.call("PUT", `${shop}/connections/inspec`, {
      body: { spec: { type: "postgres", host: "a", database: "d", user: "u", password: secret } },
    }),
    await server.call("PUT", `${shop}/connections/inspec`, {
      body: { spec: { type: "http", url: `https://u:${secret}@example.com/` } },
    }),
    ...(await Promise.all(
      [`{"action":${secret}}`, `{"action":"${secret}`].map((body) => postConnect(server, body)),
    )),
  ];
  expect(answers.every((answer) => answer.status >= 400)).toBe(true);
  return { secrets: [secret], answers: answers.map(({ body }) => body) };
}

async function postConnect(server: TestServer, body: string) {
  const answer = await fetch(`${server.url}/reeve.v1.ResourceService/Act`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${server.owner}` },
    body,
  });
  return { status: answer.status, body: await answer.text() };
}

async function plantFailures(server: TestServer) {
  const secrets = [newCanary(), newCanary()];
  const path = await newSecret(server, "failures");
  await done(server.call("POST", `${path}/actions/set`, { body: { values: { a: secrets[0] } } }));
  const set = () => server.call("POST", `${path}/actions/set`, { body: { values: { b: secrets[1] } } });
  await server.database.query(
    "alter table secret_version add constraint broken check (version < 2) not valid",
  );
  const failed = await set();
  await server.database.query("alter table secret_version drop constraint broken");
  await server.database.query(
    "update secret_version v set version = 9 from resource r where r.uid = v.secret_uid and r.name = 'failures'",
  );
  await server.database.query(
    `update resource set status = jsonb_set(status::jsonb, '{version}', '9') where kind = 'Secret' and name = 'failures'`,
  );
  const damaged = await set();
  expect([failed.status, damaged.status]).toEqual([500, 500]);
  return { secrets, answers: [failed.body, damaged.body] };
}

async function plantReference(server: TestServer) {
  const secret = newCanary();
  const path = await newSecret(server, "referred", { a: secret });
  const password = { secretRef: { name: "referred", key: "a" } };
  const spec = { type: "smtp", host: "mail.example.com", password };
  const applied = await done(server.call("PUT", `${shop}/connections/mail`, { body: { spec } }));
  const held = await server.call("DELETE", path);
  return { secrets: [secret], answers: [applied.body, held.body] };
}
