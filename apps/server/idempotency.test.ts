import { expect, test } from "vitest";
import { type Answer, type TestServer, testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";

const accounts = "/organizations/acme/serviceaccounts";
const keyed = (key: string, body?: unknown) => ({
  headers: { "idempotency-key": key },
  ...(body === undefined ? {} : { body }),
});

async function revision(server: TestServer): Promise<number> {
  return (await server.database.query<{ value: number }>("select value from revision"))[0]?.value ?? -1;
}

const face = ({ status, headers, body }: Answer) => [
  status,
  headers.get("reeve-outcome"),
  headers.get("etag"),
  body,
];

test("a repeated request gets the first answer again and is carried out once", async () => {
  const server = await testServer();
  const requests: [string, string, unknown][] = [
    ["POST", accounts, { metadata: { name: "ci" }, spec: { description: "one" } }],
    ["PUT", `${accounts}/ci`, { spec: { description: "two" } }],
    ["PUT", `${accounts}/ci`, { spec: { description: "two" } }],
    ["PATCH", `${accounts}/ci`, { spec: { description: "three" } }],
    ["POST", `${accounts}/ci/rollback`, { generation: 1 }],
    ["DELETE", `${accounts}/ci`, undefined],
  ];
  const first: Answer[] = [];
  for (const [index, [method, path, body]] of requests.entries())
    first.push(await done(server.call(method, path, keyed(`k${index}`, body))));
  const before = await revision(server);
  // All of them again, after everything: the resource is long gone.
  for (const [index, [method, path, body]] of requests.entries()) {
    const again = await server.call(method, path, keyed(`k${index}`, body));
    expect(face(again), `${method} ${path}`).toEqual(face(first[index] as Answer));
  }
  expect(await revision(server)).toBe(before);
  expect((await server.call("GET", `${accounts}/ci`)).status).toBe(404);
});

test("twenty at once with one key are one change", async () => {
  const server = await testServer();
  const answers = await Promise.all(
    [...Array(20)].map(() => server.call("POST", accounts, keyed("same", { metadata: { name: "ci" } }))),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(face(answer)))).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
  const rows = await server.database.query("select 1 from change where kind = 'ServiceAccount'");
  expect(rows).toHaveLength(1);
});

test("a key belongs to one request of one caller", async () => {
  const server = await testServer();
  const ed = await newUser(server, "ed", [{ role: "editor", scope: "acme" }]);
  await done(server.call("PUT", `${accounts}/ci`, keyed("k", { spec: { description: "one" } })));
  const other = await server.call("PUT", `${accounts}/ci`, keyed("k", { spec: { description: "two" } }));
  expect([other.status, other.body.kind]).toEqual([409, "conflict"]);
  expect(
    (await server.call("PUT", `${accounts}/other`, keyed("k", { spec: { description: "one" } }))).status,
  ).toBe(409);
  expect((await server.call("DELETE", `${accounts}/ci`, keyed("k"))).status).toBe(409);
  const theirs = await ed.call("PUT", `${accounts}/ci`, keyed("k", { spec: { description: "theirs" } }));
  expect([theirs.status, theirs.body.spec.description]).toEqual([200, "theirs"]);
});

test("a refused request uses no key up: put right, it may be sent again", async () => {
  const server = await testServer();
  const ed = await newUser(server, "ed", [{ role: "viewer", scope: "acme" }]);
  expect((await ed.call("PUT", `${accounts}/ci`, keyed("k", {}))).status).toBe(403);
  expect((await server.call("PUT", `${accounts}/ci`, keyed("k", { spec: { bogus: 1 } }))).status).toBe(422);
  expect((await server.call("PATCH", `${accounts}/ci`, keyed("k", {}))).status).toBe(404);
  expect((await server.call("PUT", `${accounts}/ci?dryRun=true`, keyed("k", {}))).status).toBe(201);
  expect((await server.call("PUT", `${accounts}/ci`, keyed("k", { spec: {} }))).status).toBe(201);
  await done(
    server.call("PUT", "/organizations/acme/rolebindings/ed", {
      body: { spec: { role: "editor", subject: { kind: "User", name: "ed" } } },
    }),
  );
  expect((await ed.call("PUT", `${accounts}/ci`, keyed("k", {}))).status).toBe(200);
});

test("a repeated bulk apply repeats none of its items", async () => {
  const server = await testServer();
  const item = (name: string, spec: object = {}) => ({
    apiVersion: "reeve/v1",
    kind: "ServiceAccount",
    metadata: { scope: "acme", name },
    spec,
  });
  const body = { resources: [item("a"), item("Bad"), item("b"), item("a", { description: "again" })] };
  const first = await server.call("POST", "/apply", keyed("bulk", body));
  const before = await revision(server);
  const again = await server.call("POST", "/apply", keyed("bulk", body));
  const outcomes = (answer: Answer) =>
    answer.body.results.map(
      (one: { outcome?: string; problem?: { status: number } }) => one.outcome ?? one.problem?.status,
    );
  expect(outcomes(first)).toEqual(["created", 422, "created", "updated"]);
  expect(outcomes(again)).toEqual(outcomes(first));
  expect(again.body.results[0]).toEqual(first.body.results[0]);
  expect(await revision(server)).toBe(before);
});

test("a secret is not kept: the same key issues another one", async () => {
  const server = await testServer();
  await done(server.call("PUT", `${accounts}/ci`, { body: {} }));
  await done(
    server.call("PUT", "/organizations/acme/tokens/ci", {
      body: { spec: { subject: { kind: "ServiceAccount", name: "ci" } } },
    }),
  );
  const issue = () => server.call("POST", "/organizations/acme/tokens/ci/actions/issue", keyed("k", {}));
  const [one, two] = [await done(issue()), await done(issue())];
  expect(one.body.secret).not.toBe(two.body.secret);
  const kept = await server.database.query(
    "select i::text as row from idempotency i union all select c::text from change c union all select a::text from audit a",
  );
  expect(JSON.stringify(kept)).not.toContain(two.body.secret);
});

test("the answer that something was unchanged is also told again, when the change before it is no longer kept", async () => {
  const server = await testServer();
  const made = await done(server.call("PUT", `${accounts}/ci`, { body: {} }));
  await server.database.query("delete from change");
  const first = await done(server.call("PUT", `${accounts}/ci`, keyed("k", {})));
  expect(first.headers.get("reeve-outcome")).toBe("unchanged");
  const again = await server.call("PUT", `${accounts}/ci`, keyed("k", {}));
  expect(face(again)).toEqual(face(first));
  expect(again.body).toEqual(made.body);
});

test("a repeated action gets its first answer also when it is not possible any more, or nothing is there", async () => {
  const server = await testServer();
  const path = "/organizations/acme/workflows/etl";
  await done(server.call("PUT", path, { body: { spec: { steps: [{ name: "hello", run: "true" }] } } }));
  const trigger = (key: string) => server.call("POST", `${path}/actions/trigger`, keyed(key, {}));
  const first = await done(trigger("t"));
  await done(server.call("PATCH", path, { body: { metadata: { paused: true } } }));
  expect((await trigger("another")).status).toBe(412);
  expect(face(await trigger("t"))).toEqual(face(first));
  await done(server.call("DELETE", path));
  await expect.poll(async () => (await server.call("GET", path)).status).toBe(404);
  expect((await trigger("another")).status).toBe(404);
  expect(face(await trigger("t"))).toEqual(face(first));
});

test("a repeated patch gets its first answer also when it could not be carried out any more", async () => {
  const server = await testServer();
  for (const name of ["ci", "parent"]) await done(server.call("PUT", `${accounts}/${name}`, { body: {} }));
  const labels = Object.fromEntries([...Array(40)].map((_, index) => [`first-${index}`, "x"]));
  const patch = () => server.call("PATCH", `${accounts}/ci`, keyed("p", { metadata: { labels } }));
  const rollback = () => server.call("POST", `${accounts}/ci/rollback`, keyed("r", { generation: 1 }));
  const first = [await done(patch()), await done(rollback())];
  const others = Object.fromEntries([...Array(40)].map((_, index) => [`other-${index}`, "x"]));
  await done(
    server.call("PATCH", `${accounts}/ci`, {
      body: { metadata: { labels: { ...nulls(labels), ...others } } },
    }),
  );
  await server.database.query("delete from generation");
  expect((await server.call("PATCH", `${accounts}/ci`, { body: { metadata: { labels } } })).status).toBe(422);
  expect((await server.call("POST", `${accounts}/ci/rollback`, { body: { generation: 1 } })).status).toBe(
    412,
  );
  expect([face(await patch()), face(await rollback())]).toEqual(first.map(face));
});

function nulls(labels: object) {
  return Object.fromEntries(Object.keys(labels).map((key) => [key, null]));
}
