import type { JWTPayload } from "jose";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { testIssuer } from "./testing-issuer.ts";
import { behindProxy, bind, done, newUser, personWith } from "./testing-people.ts";
import {
  type Browser,
  federate,
  openBrowser,
  signInWith,
  startProvider,
  type TestProvider,
} from "./testing-provider.ts";

async function start(): Promise<{ server: TestServer; provider: TestProvider }> {
  const server = await testServer({ settings: behindProxy });
  const provider = await startProvider(server);
  await federate(server, provider);
  await provider.tell("grace");
  await provider.tell("mallory");
  return { server, provider };
}

const isCallback = ({ pathname }: URL) => pathname.endsWith("/callback");

/** The browser of somebody who is just being sent back, and the address it is sent to. */
async function untilCallback(server: TestServer, person: string): Promise<{ browser: Browser; back: URL }> {
  const browser = openBrowser(person);
  const { url: back } = await browser.follow(`${server.url}/api/v1/sign-in/oidc/corporate`, isCallback);
  return { browser, back };
}

const sessionIn = (server: TestServer, { cookies }: Browser) =>
  cookies.get(`${new URL(server.url).host} reeve`);

test("a stolen way back is of no use in another browser, and the one it was stolen from still gets in", async () => {
  const { server } = await start();
  const { browser, back } = await untilCallback(server, "grace");
  const thief = openBrowser();
  expect((await thief.go(back.href)).status).toBe(401);
  const own = await untilCallback(server, "mallory");
  expect((await own.browser.go(back.href)).status).toBe(401);
  expect([sessionIn(server, thief), sessionIn(server, own.browser)]).toEqual([undefined, undefined]);
  expect((await browser.go(back.href)).status).toBe(302);
  expect(sessionIn(server, browser)).toMatch(/^reeve_s_/);
});

test("nobody is signed in as somebody else by a link: an attacker's way back ends in a refusal", async () => {
  const { server } = await start();
  const attacker = await untilCallback(server, "mallory");
  const victim = openBrowser("grace");
  expect((await victim.go(attacker.back.href)).status).toBe(401);
  // Nor while the victim is on a journey of their own.
  const under = await untilCallback(server, "grace");
  expect((await under.browser.go(attacker.back.href)).status).toBe(401);
  expect(sessionIn(server, victim) ?? sessionIn(server, under.browser)).toBeUndefined();
});

test("a stolen code is not redeemed in the thief's own journey: the provider checks the verifier", async () => {
  const { server } = await start();
  const victim = await untilCallback(server, "grace");
  const thief = await untilCallback(server, "mallory");
  const forged = new URL(thief.back);
  forged.searchParams.set("code", victim.back.searchParams.get("code") as string);
  expect((await thief.browser.go(forged.href)).status).toBe(401);
  expect(sessionIn(server, thief.browser)).toBeUndefined();
  const rows = await server.database.query<{ why: string }>(
    "select detail ->> 'why' as why from audit where outcome = 'denied'",
  );
  expect(rows).toMatchObject([{ why: expect.stringContaining("invalid_grant") }]);
});

test("a way back works once, also when it is walked twice at the same time or with the old cookie", async () => {
  const { server } = await start();
  const { browser, back } = await untilCallback(server, "grace");
  const cookies = new Map(browser.cookies);
  const twins = [0, 1].map(() => {
    const twin = openBrowser("grace");
    for (const [name, value] of cookies) twin.cookies.set(name, value);
    return twin.go(back.href);
  });
  expect((await Promise.all(twins)).map(({ status }) => status).sort()).toEqual([302, 401]);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  expect((await browser.go(back.href)).status).toBe(401);
  const sessions = await server.database.query(
    "select 1 from session s join resource u on u.uid = s.user_uid where u.name = 'grace'",
  );
  expect(sessions).toHaveLength(1);
});

test("the answer of one provider does not pass for another's", async () => {
  const { server, provider } = await start();
  await federate(server, provider, {}, "other");
  const { browser, back } = await untilCallback(server, "grace");
  const mixed = back.href.replace("/corporate/", "/other/");
  expect((await browser.go(mixed)).status).toBe(401);
  expect((await browser.go(back.href.replace(/iss=[^&]*/, "iss=https%3A%2F%2Fevil.example"))).status).toBe(
    401,
  );
  expect(sessionIn(server, browser)).toBeUndefined();
});

test("a sign-in ends nowhere but on this server or at the person's own machine", async () => {
  const { server } = await start();
  const returns = [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "evil.example",
    "/ /evil.example",
    "/\t/evil.example",
    "/x\r\nset-cookie: reeve=mine",
    "",
  ];
  for (const path of returns) {
    const query = `?return=${encodeURIComponent(path)}`;
    const answer = await server.call("GET", `/sign-in/oidc/corporate${query}`, { token: null });
    expect({ path, status: answer.status }).toEqual({ path, status: 422 });
  }
  const challenge = "x".repeat(43);
  for (const port of ["80", "8080@evil.example", "evil.example", "-1", "8080/x", "99999"]) {
    const query = `?challenge=${challenge}&port=${encodeURIComponent(port)}`;
    const answer = await server.call("GET", `/sign-in/oidc/corporate${query}`, { token: null });
    expect({ port, status: answer.status }).toEqual({ port, status: 422 });
  }
});

test("a session that was planted before the sign-in is not the one after it", async () => {
  const { server } = await start();
  const mallory = await newUser(server, "eve");
  const browser = openBrowser("grace");
  const name = `${new URL(server.url).host} reeve`;
  browser.cookies.set(name, mallory.token);
  const { secret } = await signInWith(server, browser);
  expect(secret).toMatch(/^reeve_s_/);
  expect(secret).not.toBe(mallory.token);
  const { body } = await personWith(server, "grace", secret).call("GET", "/whoami");
  expect(body.subject.name).toBe("grace");
  expect((await mallory.call("GET", "/whoami")).body.subject.name).toBe("eve");
});

test("a code that is handed over opens nothing without its verifier, and once with it", async () => {
  const { server } = await start();
  const verifier = "v".repeat(43);
  const query = "?port=4567&challenge=7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM";
  const browser = openBrowser("grace");
  const { url } = await browser.follow(
    `${server.url}/api/v1/sign-in/oidc/corporate${query}`,
    ({ port }) => port === "4567",
  );
  expect(url.hostname).toBe("127.0.0.1");
  expect(sessionIn(server, browser)).toBeUndefined();
  const code = url.searchParams.get("code") ?? "";
  const redeem = (body: object) => server.call("POST", "/sign-in/oidc", { token: null, body });
  expect((await redeem({ code, verifier: "w".repeat(43) })).status).toBe(401);
  expect((await server.call("GET", "/whoami", { token: code })).status).toBe(401);
  const answers = await Promise.all([redeem({ code, verifier }), redeem({ code, verifier })]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
});

test("an ID token that is forged, stale, or not for this sign-in proves nothing", async () => {
  const server = await testServer({ settings: behindProxy });
  const evil = await testIssuer();
  const page = (path: string) => `${evil.url}${path}`;
  evil.pages["/.well-known/openid-configuration"] = async () => ({
    issuer: evil.url,
    authorization_endpoint: page("/authorize"),
    token_endpoint: page("/token"),
    jwks_uri: page("/keys"),
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
  });
  const spec = { issuer: evil.url, clientId: "reeve", createUsers: true };
  await done(server.call("PUT", "/identityproviders/corporate", { body: { spec } }));
  const attempt = async (token: (nonce: string) => Promise<string>) => {
    const browser = openBrowser();
    const begun = await browser.go(`${server.url}/api/v1/sign-in/oidc/corporate`);
    const { searchParams } = new URL(begun.location);
    evil.pages["/token"] = async () => ({
      access_token: "x",
      token_type: "bearer",
      id_token: await token(searchParams.get("nonce") as string),
    });
    const back = `${searchParams.get("redirect_uri")}?code=x&state=${searchParams.get("state")}`;
    return (await browser.go(back)).status;
  };
  const now = Math.floor(Date.now() / 1000);
  const unsigned = (claims: JWTPayload) =>
    [{ alg: "none" }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
  const good = { aud: "reeve", sub: "grace" };
  const all = (nonce: string) => ({ iss: evil.url, iat: now, exp: now + 300, nonce, ...good });
  const wrong: Record<string, (nonce: string) => Promise<string>> = {
    "another sign-in's nonce": () => evil.sign({ ...good, nonce: "another" }),
    "no nonce": () => evil.sign(good),
    "for another client": (nonce) => evil.sign({ ...good, nonce, aud: "other" }),
    "of another issuer": (nonce) => evil.sign({ ...good, nonce, iss: "https://id.example" }),
    expired: (nonce) => evil.sign({ ...good, nonce, exp: now - 600, iat: now - 1200 }),
    "another key": (nonce) => evil.forge({ ...good, nonce }),
    unsigned: async (nonce) => `${unsigned(all(nonce))}.`,
    "nobody in particular": (nonce) => evil.sign({ aud: "reeve", nonce, sub: undefined as never }),
    rubbish: async () => "x",
  };
  for (const [what, token] of Object.entries(wrong))
    expect({ what, status: await attempt(token) }).toEqual({ what, status: 401 });
  expect(await attempt((nonce) => evil.sign({ ...good, nonce }))).toBe(302);
});

test("the client's secret and the secrets of a sign-in are in no row, record or answer", async () => {
  const { server } = await start();
  await bind(server, { role: "viewer", scope: "acme" }, { kind: "User", name: "ada" });
  const { browser, back } = await untilCallback(server, "grace");
  const attempt = browser.cookies.get(`${new URL(server.url).host} reeve-attempt`) as string;
  const planted = ["the client's secret", attempt, back.searchParams.get("state") as string];
  const tables = await server.database.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const dump = async () => {
    let text = "";
    for (const { name } of tables)
      text += (await server.database.query<{ row: string }>(`select t::text as row from ${name} t`))
        .map(({ row }) => row)
        .join("\n");
    return text;
  };
  const answers = await Promise.all(
    ["/identityproviders", "/identityproviders/corporate", "/identityproviders/corporate/history"].map(
      (path) => server.call("GET", path),
    ),
  );
  const seen = `${await dump()} ${JSON.stringify(answers)} ${back.href.replace(planted[2] as string, "")}`;
  await browser.go(back.href);
  const after = await dump();
  for (const secret of planted)
    expect([seen.includes(secret), after.includes(secret)]).toEqual([false, false]);
  expect(after).toContain("identity");
});
