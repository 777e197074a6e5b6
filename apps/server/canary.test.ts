import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { backUp, backupFolder, verdict } from "./testing-backup.ts";
import { findSecret, hearOutput, newCanary, type Plant, type Planted } from "./testing-canary.ts";
import { crawls } from "./testing-crawls.ts";
import { firstStep, secondStep, withApp } from "./testing-factors.ts";
import { behindProxy, done, inScope, newProgram, setPassword } from "./testing-people.ts";

/**
 * Secrets are given to the server in every way there is; then everything that can be read is read, and none of them may be there.
 * Whoever adds a way to give or to make a secret adds a plant; whoever adds a read that is in no description of the API adds a crawl.
 */
const plants: readonly Plant[] = [
  { what: "values of a secret: set, replaced, removed, rolled back to, revealed", plant: plantValues },
  { what: "values that were sent wrongly", plant: plantMistakes },
  { what: "a value while the database fails, and one whose row was damaged", plant: plantFailures },
  { what: "a value that a spec refers to", plant: plantReference },
  { what: "passwords: right, wrong and refused", plant: plantPasswords },
  { what: "tokens and sessions", plant: plantTokens },
  { what: "second factors: the seed of an app, recovery codes, a sign-in half done", plant: plantFactors },
];

test("no secret is found in any read, row, log line or answer", { timeout: 240_000 }, async () => {
  const output = hearOutput();
  const marker = newCanary();
  const found: string[] = [];
  try {
    const backups = await backupFolder();
    const server = await testServer({
      settings: { ...behindProxy, ...backups.settings, REEVE_LOG_LEVEL: "debug" },
    });
    await done(server.call("PUT", shop, { body: { spec: { description: marker } } }));
    const planted: (Planted & Pick<Plant, "what">)[] = [];
    for (const { what, plant } of plants) planted.push({ what, ...(await plant(server)) });
    const look = (where: string, text: string) => {
      for (const { what, secrets } of planted)
        for (const secret of secrets)
          found.push(...findSecret(text, secret).map((form) => `${what}: found in ${where}, ${form}`));
    };
    for (const { what, answers } of planted) look(`the answers to: ${what}`, JSON.stringify(answers ?? []));
    await backUp(server, "all");
    expect(await verdict(server, "all")).toMatchObject({ status: "true" });
    look("a backup", readFiles(backups.to));
    for (const { what, showsSpecs, read } of crawls) {
      const text = await read(server);
      expect(findSecret(text, marker).length > 0, `${what} shows specs`).toBe(showsSpecs);
      look(what, text);
    }
    look("the log", output.text());
  } finally {
    output.stop();
  }
  expect(output.text(), "the log was heard").toContain("a request failed");
  expect(found).toEqual([]);
});

test("the search finds a secret however it is written", () => {
  const secret = newCanary();
  for (const before of ["", "a", "ab", "abc"])
    for (const form of ["utf8", "hex", "base64", "base64url"] as const)
      expect(findSecret(Buffer.from(`${before}${secret}xyz`).toString(form), secret), form).toHaveLength(1);
  expect(findSecret(newCanary(), secret)).toEqual([]);
});

const shop = inScope("acme/shop");

function readFiles(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(files.length).toBeGreaterThan(10);
  return files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n");
}

async function newSecretAt(server: TestServer, name: string): Promise<string> {
  const path = `${shop}/secrets/${name}`;
  await done(server.call("PUT", path, { body: {} }));
  return path;
}

async function plantValues(server: TestServer) {
  const secrets = [...Array(4)].map(newCanary);
  const [first, second, third, fourth] = secrets;
  const path = await newSecretAt(server, "values");
  const set = (body: object) => done(server.call("POST", `${path}/actions/set`, { body }));
  const answers = [
    await set({ values: { a: first, b: second } }),
    await set({ values: { a: third } }),
    await set({ values: { b: null } }),
    await set({ values: { c: fourth }, replace: true }),
    await done(server.call("POST", `${path}/actions/rollback`, { body: { version: 1 } })),
  ];
  // The one answer that shows them.
  const { body } = await done(server.call("POST", `${path}/actions/reveal`, { body: {} }));
  expect(body.values).toEqual({ a: first, b: second });
  return { secrets, answers };
}

async function plantMistakes(server: TestServer) {
  const secret = newCanary();
  const path = `${await newSecretAt(server, "mistakes")}/actions/set`;
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
  const path = await newSecretAt(server, "failures");
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
  const path = await newSecretAt(server, "referred");
  await done(server.call("POST", `${path}/actions/set`, { body: { values: { a: secret } } }));
  const password = { secretRef: { name: "referred", key: "a" } };
  const spec = { type: "smtp", host: "mail.example.com", password };
  const applied = await done(server.call("PUT", `${shop}/connections/mail`, { body: { spec } }));
  const held = await server.call("DELETE", path);
  return { secrets: [secret], answers: [applied.body, held.body] };
}

async function plantPasswords(server: TestServer) {
  const [right, wrong, short] = [newCanary(), newCanary(), newCanary().slice(0, 11)] as const;
  await done(server.call("PUT", "/users/grace", { body: {} }));
  const post = (path: string, body: object) => server.call("POST", path, { body });
  const signIn = (password: string) =>
    server.call("POST", "/sessions", { token: null, body: { user: "grace", password } });
  const answers = [
    await done(post("/users/grace/actions/set-password", { password: right })),
    await post("/users/grace/actions/set-password", { password: short }),
    await signIn(wrong),
    await signIn(right),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 401, 201]);
  return { secrets: [right, wrong, short, answers[3]?.body.token], answers: answers.slice(0, 3) };
}

async function plantTokens(server: TestServer) {
  const program = await newProgram(server, "acme/shop", "ci", [{ role: "viewer", scope: "acme" }]);
  const unknown = `reeve_t_${newCanary()}`;
  const answers = [
    await program.call("GET", "/whoami"),
    await server.call("GET", "/whoami", { token: unknown }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  return { secrets: [program.token, unknown, server.owner], answers };
}

async function plantFactors(server: TestServer) {
  await done(server.call("PUT", "/users/heidi", { body: {} }));
  await setPassword(server, "heidi");
  const { app, person } = await withApp(server, "heidi");
  const made = await done(person.call("POST", "/factors/recovery-codes", { body: {} }));
  const codes: string[] = made.body.codes;
  const pending = await firstStep(server, "heidi", "10.7.0.1");
  const wrong = await secondStep(server, pending, "aaaaa-bbbbb-ccccc-ddddd", "10.7.0.1");
  expect(wrong.status).toBe(401);
  const plain = codes.map((code) => code.replaceAll("-", ""));
  return { secrets: [app.seed, ...codes, ...plain, pending], answers: [wrong.body] };
}
