import { beginRecovery } from "@reeve/access/control";
import { openLane } from "@reeve/store";
import { expect, test } from "vitest";
import { registry } from "./areas.ts";
import { type TestServer, testServer } from "./testing.ts";
import { behindProxy, done, newUser, personWith, setPassword, signIn } from "./testing-people.ts";

const fresh = "an entirely new password";

/** What the command on the server's machine does. */
function begin({ database }: TestServer, user: string) {
  return beginRecovery({ database, lane: openLane({ database, registry, reconciled: new Set() }) }, user);
}

const recover = (server: TestServer, token: string, password = fresh) =>
  server.call("POST", "/recover", { token: null, body: { token, password } });

test("a recovery link sets the password, removes second factors and ends sessions, once, and is recorded", async () => {
  const server = await testServer({ settings: behindProxy });
  const bob = await newUser(server, "bob");
  await setPassword(server, "bob");
  const before = personWith(server, "bob", await signIn(server, "bob"));
  const { uid } = (await server.call("GET", "/users/bob")).body.metadata;
  await server.database.query(
    "insert into passkey (id, user_uid, name, credential, public_key, counter, transports) values (gen_random_uuid(), $1, 'key', 'x', '\\x02', 0, '[]')",
    [uid],
  );
  const { token, did } = await begin(server, "bob");
  expect(did).toEqual([]);
  const answer = await recover(server, token);
  expect([answer.status, answer.body]).toEqual([200, { user: "bob", factorsRemoved: 1, sessionsEnded: 1 }]);
  expect([(await before.call("GET", "/whoami")).status, (await bob.call("GET", "/whoami")).status]).toEqual([
    401, 401,
  ]);
  const again = personWith(server, "bob", await signIn(server, "bob", fresh));
  expect((await again.call("GET", "/whoami")).body.grants).toEqual([]);
  expect((await recover(server, token)).status).toBe(412);
  const rows = await server.database.query(
    "select subject, operation from audit where operation in ('begin-recovery', 'recover') order by revision",
  );
  expect(rows).toEqual([
    { subject: "system:reeve", operation: "begin-recovery" },
    { subject: "user:bob", operation: "recover" },
  ]);
});

test("when nobody owns the installation any more, who is recovered does; a disabled one is enabled", async () => {
  const server = await testServer({ settings: behindProxy });
  await newUser(server, "bob");
  await done(server.call("PATCH", "/users/bob", { body: { spec: { disabled: true } } }));
  expect((await begin(server, "bob")).did).toEqual(["bob was disabled and is enabled"]);
  // As it can come about when somebody works on the database itself.
  await server.database.query(
    "update resource set spec = spec || '{\"disabled\": true}' where kind = 'User' and name = 'ada'",
  );
  const { token, did } = await begin(server, "bob");
  expect(did).toEqual([expect.stringContaining("bob does now, by the binding bob-recovery")]);
  await done(recover(server, token));
  const bob = personWith(server, "bob", await signIn(server, "bob", fresh));
  expect((await bob.call("GET", "/users")).body.items.length).toBe(2);
});

test("owning the installation through a group counts", async () => {
  const server = await testServer({ settings: behindProxy });
  for (const name of ["otto", "bob"]) await newUser(server, name);
  const members = [{ kind: "User", name: "otto" }];
  await done(server.call("PUT", "/groups/admins", { body: { spec: { members } } }));
  const spec = { role: "owner", subject: { kind: "Group", name: "admins" } };
  await done(server.call("PUT", "/rolebindings/admins", { body: { spec } }));
  await server.database.query(
    "update resource set spec = spec || '{\"disabled\": true}' where kind = 'User' and name = 'ada'",
  );
  expect((await begin(server, "bob")).did).toEqual([]);
});

test("an unknown user cannot be recovered, and no door makes a link", async () => {
  const server = await testServer({ settings: behindProxy });
  await expect(begin(server, "nobody")).rejects.toThrow("there is no user nobody");
  const { token } = await begin(server, "ada");
  await server.database.query("update ticket set expires_at = now()");
  expect((await recover(server, token)).status).toBe(412);
  expect((await recover(server, "reeve_recovery_wrong")).status).toBe(412);
});
