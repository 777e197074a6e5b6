import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { behindProxy, bind, done, newUser, personWith } from "./testing-people.ts";
import {
  federate,
  handOver,
  openBrowser,
  signInWith,
  startProvider,
  type TestProvider,
} from "./testing-provider.ts";

async function start(spec: object = {}): Promise<{ server: TestServer; provider: TestProvider }> {
  const server = await testServer({ settings: behindProxy });
  const provider = await startProvider(server);
  await federate(server, provider, spec);
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  return { server, provider };
}

/** Developers of the provider view acme. */
async function developersView(server: TestServer): Promise<void> {
  const spec = { claims: [{ provider: "corporate", value: "developers" }] };
  await done(server.call("PUT", "/groups/developers", { body: { spec } }));
  await bind(server, { role: "viewer", scope: "acme" }, { kind: "Group", scope: "", name: "developers" });
}

test("a person of the provider signs in, becomes a user, and holds what the groups there are given here", async () => {
  const { server, provider } = await start();
  await developersView(server);
  await provider.tell("grace", { groups: ["developers", "staff"], name: "Grace Hopper" });
  const { items } = (await server.call("GET", "/sign-in/providers", { token: null })).body;
  expect(items).toEqual([{ name: "corporate", displayName: "corporate" }]);
  const { secret, url } = await signInWith(server, openBrowser("grace"), "?return=/docs/");
  expect(url.pathname).toBe("/docs/");
  const grace = personWith(server, "grace", secret);
  const me = (await grace.call("GET", "/whoami")).body;
  expect(me).toMatchObject({
    subject: { kind: "User", name: "grace" },
    via: { kind: "session", factors: ["oidc"] },
    grants: [{ scope: "acme", role: "viewer", group: "developers" }],
  });
  expect((await grace.call("GET", "/organizations/acme/projects/shop")).status).toBe(200);
  expect((await server.call("GET", "/users/grace")).body).toMatchObject({
    spec: { displayName: "Grace Hopper", email: "grace@example.com" },
    status: { groups: { corporate: ["developers", "staff"] } },
  });
  const again = await signInWith(server, openBrowser("grace"));
  expect((await server.call("GET", "/users")).body.items).toHaveLength(2);
  expect(again.secret).not.toBe(secret);
});

test("a changed group takes effect at once, also for sessions that are open, on every replica", async () => {
  const { server, provider } = await start();
  await developersView(server);
  const second = await testServer({ share: server });
  await provider.tell("grace", { groups: ["developers"] });
  const open = personWith(server, "grace", (await signInWith(server, openBrowser("grace"))).secret);
  const shop = "/organizations/acme/projects/shop";
  const elsewhere = () => second.call("GET", shop, { token: open.token });
  expect([(await open.call("GET", shop)).status, (await elsewhere()).status]).toEqual([200, 200]);
  await provider.tell("grace", { groups: [] });
  await signInWith(server, openBrowser("grace"));
  expect((await open.call("GET", shop)).status).toBe(404);
  await expect.poll(async () => (await elsewhere()).status).toBe(404);
  await provider.tell("grace", { groups: ["developers"] });
  await signInWith(server, openBrowser("grace"));
  expect((await open.call("GET", shop)).status).toBe(200);
  // What a provider said does not outlive it, nor does it speak for a new one of the same name.
  await done(server.call("PATCH", "/identityproviders/corporate", { body: { spec: { disabled: true } } }));
  expect((await open.call("GET", shop)).status).toBe(404);
  expect((await signInWith(server, openBrowser("grace"))).status).toBe(404);
  await done(server.call("DELETE", "/identityproviders/corporate"));
  await federate(server, provider);
  expect((await open.call("GET", shop)).status).toBe(404);
});

test("who may sign in is decided by verified address and by group, and losing the group ends its rights", async () => {
  const allow = { emailDomains: ["Example.com"], groups: ["staff"] };
  const { server, provider } = await start({ allow });
  await provider.tell("grace", { groups: ["staff"] });
  await provider.tell("guest", { groups: [] });
  await provider.tell("liar", { groups: ["staff"], email_verified: false });
  await provider.tell("other", { groups: ["staff"], email: "other@example.com.evil.example" });
  expect((await signInWith(server, openBrowser("grace"))).secret).not.toBe("");
  for (const person of ["guest", "liar", "other"]) {
    const { secret, status } = await signInWith(server, openBrowser(person));
    expect({ person, secret, status }).toEqual({ person, secret: "", status: 403 });
  }
  await provider.tell("grace", { groups: [] });
  expect((await signInWith(server, openBrowser("grace"))).status).toBe(403);
  expect((await server.call("GET", "/users/grace")).body.status.groups).toEqual({ corporate: [] });
  const rows = await server.database.query<{ why: string }>(
    "select detail ->> 'why' as why from audit where kind = 'IdentityProvider' and outcome = 'denied'",
  );
  expect(rows).toHaveLength(4);
});

test("an address or a name that somebody has already finds nobody: it makes another user", async () => {
  const { server, provider } = await start();
  const body = { spec: { email: "grace@example.com" } };
  const grace = await newUser(server, "grace", [{ role: "owner", scope: "acme" }]);
  await done(server.call("PUT", "/users/grace", { body }));
  await provider.tell("grace");
  const { secret } = await signInWith(server, openBrowser("grace"));
  const stranger = personWith(server, "stranger", secret);
  const me = (await stranger.call("GET", "/whoami")).body;
  expect(me.subject.name).toMatch(/^grace-[0-9a-f]{6}$/);
  expect(me.grants).toEqual([]);
  expect((await grace.call("GET", "/identities")).body.items).toEqual([]);
  expect((await stranger.call("GET", "/identities")).body.items).toMatchObject([
    { provider: "corporate", subject: "grace" },
  ]);
  // An address that the provider has not verified is not even kept.
  await provider.tell("mallory", { email: "ada@example.com", email_verified: false });
  await signInWith(server, openBrowser("mallory"));
  expect((await server.call("GET", "/users/mallory")).body.spec.email).toBeUndefined();
});

test("where no users are made, only those sign in who linked their identity, freshly proved, themselves", async () => {
  const { server, provider } = await start({ createUsers: false });
  await provider.tell("grace");
  const refused = await signInWith(server, openBrowser("grace"));
  expect({ status: refused.status, text: refused.text }).toMatchObject({
    status: 403,
    text: expect.stringContaining("reeve auth link corporate"),
  });
  const eve = await newUser(server, "eve");
  const handed = await handOver(server, "grace");
  await server.database.query("update session set authenticated_at = now() - interval '1 hour'");
  const replica = await testServer({ share: server });
  const stale = await replica.call("POST", "/identities", { token: eve.token, body: handed });
  expect(stale).toMatchObject({ status: 403, body: { detail: expect.stringContaining("fresh") } });
  await server.database.query("update session set authenticated_at = now()");
  const fresh = await testServer({ share: server });
  await done(fresh.call("POST", "/identities", { token: eve.token, body: handed }));
  const me = await signInWith(server, openBrowser("grace"));
  const who = await personWith(server, "eve", me.secret).call("GET", "/whoami");
  expect(who.body.subject.name).toBe("eve");
  // Linked once, it is nobody else's to link.
  const bob = await newUser(server, "bob");
  const taken = await bob.call("POST", "/identities", { body: await handOver(server, "grace") });
  expect(taken.status).toBe(409);
  const { items } = (await eve.call("GET", "/identities")).body;
  expect((await bob.call("DELETE", `/identities/${items[0].id}`)).status).toBe(404);
  const last = await fresh.call("DELETE", `/identities/${items[0].id}`, { token: eve.token });
  expect(last).toMatchObject({ status: 412, body: { detail: expect.stringContaining("only way in") } });
});

test("a disabled user does not get in by the provider, and enabled does again", async () => {
  const { server, provider } = await start();
  await provider.tell("grace");
  await signInWith(server, openBrowser("grace"));
  await done(server.call("PATCH", "/users/grace", { body: { spec: { disabled: true } } }));
  const { status, secret, text } = await signInWith(server, openBrowser("grace"));
  expect({ status, secret }).toEqual({ status: 403, secret: "" });
  expect(text).toContain("disabled");
  await done(server.call("PATCH", "/users/grace", { body: { spec: { disabled: false } } }));
  expect((await signInWith(server, openBrowser("grace"))).secret).not.toBe("");
});

test("a second factor at the provider counts where the provider is trusted for it", async () => {
  const { server, provider } = await start({ secondFactor: ["mfa", "hwk"] });
  await provider.tell("grace", { amr: ["pwd", "mfa"] });
  await provider.tell("bob", { amr: ["pwd"] });
  const factors = async (person: string) => {
    const { secret } = await signInWith(server, openBrowser(person));
    return (await personWith(server, person, secret).call("GET", "/whoami")).body.via.factors;
  };
  expect(await factors("grace")).toEqual(["oidc", "provider"]);
  expect(await factors("bob")).toEqual(["oidc"]);
});

test("a provider that is away or knows us by another secret is told as such, and the rest goes on", async () => {
  const { server, provider } = await start();
  await provider.tell("grace");
  const secret = { secret: "a wrong one" };
  await done(server.call("POST", "/identityproviders/corporate/actions/set-secret", { body: secret }));
  const wrong = await signInWith(server, openBrowser("grace"));
  expect(wrong.status).toBe(401);
  const rows = await server.database.query<{ why: string }>(
    "select detail ->> 'why' as why from audit where kind = 'IdentityProvider' and outcome = 'denied'",
  );
  expect(rows).toMatchObject([{ why: expect.stringContaining("client secret") }]);
  await provider.stop();
  await done(server.call("POST", "/identityproviders/corporate/actions/set-secret", { body: secret }));
  const away = await server.call("GET", "/sign-in/oidc/corporate", { token: null });
  expect(away).toMatchObject({
    status: 503,
    body: {
      detail: "the identity provider corporate cannot be reached",
      next: expect.stringContaining("another way"),
    },
  });
  expect((await server.call("GET", "/sign-in/providers", { token: null })).status).toBe(200);
});

test("the issuer of a provider cannot be changed: its people would become others", async () => {
  const { server } = await start();
  const answer = await server.call("PATCH", "/identityproviders/corporate", {
    body: { spec: { issuer: "https://evil.example" } },
  });
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: "/spec/issuer" }] } });
});
