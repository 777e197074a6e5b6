import { expect, test } from "vitest";
import { testServer } from "./testing.ts";
import { done } from "./testing-people.ts";

const account = "/organizations/acme/serviceaccounts/ci";
const token = (name: string) => `/organizations/acme/tokens/${name}`;

test("looks that cannot be recorded rest, and keep no others waiting", async () => {
  const server = await testServer();
  await done(server.call("PUT", account, { body: {} }));
  const spec = (inMs: number) => ({
    subject: { kind: "ServiceAccount", name: "ci" },
    expiresAt: new Date(Date.now() + inMs).toISOString(),
  });
  // More than are looked at together.
  const bad = Array.from({ length: 12 }, (_, index) => `bad-${index}`);
  for (const name of bad) await done(server.call("PUT", token(name), { body: { spec: spec(86_400_000) } }));
  await server.database.query(
    `create function refuse() returns trigger language plpgsql as $$ begin
       if new.looked_at is distinct from old.looked_at and exists (
         select 1 from resource r where r.uid = new.uid and r.name like 'bad-%') then raise exception 'no room'; end if;
       return new; end $$`,
  );
  await server.database.query(
    "create trigger refuse before update on look for each row execute function refuse()",
  );
  await server.database.query(
    `update look set due_at = now() - interval '1 hour'
     where uid in (select uid from resource where name like 'bad-%')`,
  );
  await done(server.call("PUT", token("good"), { body: { spec: spec(500) } }));
  await expect.poll(async () => (await server.call("GET", token("good"))).status).toBe(404);
});
