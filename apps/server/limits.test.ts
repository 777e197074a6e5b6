import { openDatabase } from "@reeve/store";
import { expect, test } from "vitest";
import { testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";

test("who asks too often hears 429 with the limit and when to come back, from REST and Connect alike", async () => {
  const server = await testServer({
    settings: { REEVE_SIGNED_IN_PER_MINUTE: "20", REEVE_WATCHES_PER_MINUTE: "1" },
  });
  let answer = await server.call("GET", "/whoami");
  for (let tries = 0; answer.status === 200 && tries < 30; tries++)
    answer = await server.call("GET", "/whoami");
  expect(answer.status).toBe(429);
  expect(answer.body).toMatchObject({ kind: "exhausted", next: expect.stringMatching(/^wait \d+ s$/) });
  const told = (headers: Headers) => ({
    limit: headers.get("ratelimit-limit"),
    remaining: headers.get("ratelimit-remaining"),
    same: headers.get("ratelimit-reset") === headers.get("retry-after"),
    wait: Number(headers.get("retry-after")),
  });
  const expected = { limit: "20", remaining: "0", same: true, wait: expect.any(Number) };
  expect(told(answer.headers)).toEqual(expected);
  expect(told(answer.headers).wait).toBeGreaterThan(0);

  const called = await fetch(`${server.url}/reeve.v1.ResourceService/ListKinds`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.owner}`, "content-type": "application/json" },
    body: "{}",
  });
  expect([called.status, await called.json()]).toMatchObject([429, { code: "resource_exhausted" }]);
  expect(told(called.headers)).toEqual(expected);

  // Watches have a minute of their own.
  const watch = () =>
    fetch(`${server.url}/api/v1/organizations?watch=true`, {
      headers: { authorization: `Bearer ${server.owner}` },
    });
  const first = await watch();
  const second = await watch();
  expect([first.status, second.status]).toEqual([200, 429]);
  expect(second.headers.get("ratelimit-limit")).toBe("1");
  await first.body?.cancel();

  const figures = (await server.call("GET", "/metrics", { token: null })).body;
  expect(figures).toMatch(/^reeve_limited_total\{limit="subject"\} [2-9]/m);
  expect(figures).toMatch(/^reeve_limited_total\{limit="watch"\} 1$/m);
});

test("one who asks for more at once than the database can answer leaves connections to the others", async () => {
  const server = await testServer();
  const greedy = await newUser(server, "greedy", [{ role: "owner", scope: "" }]);
  const modest = await newUser(server, "modest", [{ role: "viewer", scope: "" }]);
  const shop = "/organizations/acme/projects/shop";
  await done(server.call("PUT", shop, { body: {} }));
  const outside = openDatabase({ url: server.databaseUrl, connections: 2 });
  const locked = Promise.withResolvers<void>();
  const unlocked = Promise.withResolvers<void>();
  // Reads of events take as long as this holds their table.
  const holding = outside.transact(async (sql) => {
    await sql.query("set local idle_in_transaction_session_timeout = 0");
    await sql.query("lock table event in access exclusive mode");
    locked.resolve();
    await unlocked.promise;
  });
  await locked.promise;
  const flood = Promise.all(Array.from({ length: 60 }, () => greedy.call("GET", `${shop}/events`)));
  const blocked = async () =>
    (
      await outside.query<{ count: number }>(
        "select count(*) as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      )
    )[0]?.count;
  await expect.poll(blocked).toBe(Math.ceil(server.database.connections * 0.75));
  const answered = await Promise.race([flood, modest.call("GET", shop)]);
  expect(answered).toMatchObject({ status: 200 });
  unlocked.resolve();
  expect((await flood).every(({ status }) => status === 200)).toBe(true);
  await holding;
  await outside.close();
});
