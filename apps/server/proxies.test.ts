import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { callApi, testServer } from "./testing.ts";
import { newUser, password, setPassword } from "./testing-people.ts";

/** Nobody's: from the range for documentation. */
const elsewhere = "203.0.113.9";
const own = ownAddress();

test("plain HTTP is answered on this machine and to declared proxies; whoever else asks is told so, and nothing is done", async () => {
  const listen = { REEVE_LISTEN: "0.0.0.0:0" };
  const server = await testServer({ settings: { ...listen, REEVE_TRUSTED_PROXIES: elsewhere } });
  const { port } = new URL(server.url);
  const make = (url: string) =>
    callApi(url, "PUT", "/organizations/acme/projects/shop", { token: server.owner, body: {} });

  const refused = await make(`http://${own}:${port}`);
  expect(refused).toMatchObject({ status: 403, body: { kind: "forbidden" } });
  expect(refused.body.detail).toContain(`not to ${own}`);
  expect(refused.body.next).toMatch(/REEVE_TLS_CERT.*REEVE_TRUSTED_PROXIES/);
  expect((await server.call("GET", "/organizations/acme/projects/shop")).status).toBe(404);
  expect((await make(`http://127.0.0.1:${port}`)).status).toBe(201);

  const both = `${elsewhere},${own}`;
  const behind = await testServer({ settings: { ...listen, REEVE_TRUSTED_PROXIES: both }, share: server });
  expect((await make(`http://${own}:${new URL(behind.url).port}`)).status).toBe(200);
});

test("X-Forwarded-For counts from a declared proxy only: with another's word nobody hides, and no limit is passed by", async () => {
  const open = await testServer({ settings: { REEVE_TRUSTED_PROXIES: elsewhere } });
  const behind = await testServer({ settings: { REEVE_TRUSTED_PROXIES: "127.0.0.1" }, share: open });
  await newUser(open, "bob");
  await setPassword(open, "bob");
  let from = 0;
  const signIn = ({ call }: typeof open, secret: string) =>
    call("POST", "/sessions", {
      token: null,
      headers: { "x-forwarded-for": `10.1.1.1, 10.2.2.${++from}` },
      body: { user: "bob", password: secret },
    });
  expect((await signIn(open, password)).status).toBe(201);
  expect((await signIn(behind, password)).status).toBe(201);
  const seen = await open.database.query<{ address: string }>(
    "select address from session where user_uid = (select uid from resource where kind = 'User' and name = 'bob') order by created_at",
  );
  expect(seen.map(({ address }) => address)).toEqual(["127.0.0.1", "10.2.2.2"]);

  const statuses = new Set<number>();
  for (let turn = 0; turn < 12; turn++) statuses.add((await signIn(open, password)).status);
  expect(statuses).toContain(429);
});

/** One that others could reach this machine by, so that who comes from it is not on loopback. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const found = all.find(({ internal, family }) => !internal && family === "IPv4");
  if (found === undefined) throw new Error("this machine has no address beyond loopback: give it one");
  return found.address;
}
