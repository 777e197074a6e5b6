import { createHmac, createPublicKey } from "node:crypto";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { type Issuer, testIssuer } from "./testing-issuer.ts";
import { behindProxy, done } from "./testing-people.ts";

async function start(): Promise<{ server: TestServer; issuer: Issuer }> {
  const server = await testServer({ settings: behindProxy });
  const issuer = await testIssuer();
  await done(server.call("PUT", "/organizations/acme/serviceaccounts/ci", { body: {} }));
  const rules = [{ claims: { ref: "main" }, serviceAccount: { name: "ci" } }];
  const spec = { issuer: issuer.url, audience: "reeve", rules };
  await done(server.call("PUT", "/organizations/acme/trustedissuers/ci", { body: { spec } }));
  return { server, issuer };
}

function exchange(server: TestServer, token: string, audience = "acme/ci") {
  const body = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    subject_token: token,
    audience,
  };
  return server.call("POST", "/tokens/exchange", { token: null, body });
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = () => Math.floor(Date.now() / 1000);
const main = { ref: "main" };

/** The payload of a good token under a header of one's own, "signed" with the published key as a shared secret. */
function confused(issuer: Issuer, secret: Buffer | string, header: object = { alg: "HS256", kid: "one" }) {
  const claims = { iss: issuer.url, aud: "reeve", sub: "x", iat: now(), exp: now() + 300, ...main };
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

test("no forged, borrowed or stale token is exchanged, and the sender does not learn why", async () => {
  const { server, issuer } = await start();
  const stranger = await testIssuer();
  const good = await issuer.sign(main);
  const [header = "", payload = "", signature = ""] = good.split(".");
  const pem = createPublicKey({ key: issuer.publicJwk as never, format: "jwk" }).export({
    type: "spki",
    format: "pem",
  });
  const attacks: Record<string, string> = {
    "not signed": `${encode({ alg: "none" })}.${payload}.`,
    "not signed, in other letters": `${encode({ alg: "NoNe", kid: "one" })}.${payload}.`,
    "the published key as a shared secret": confused(issuer, pem),
    "the published JWK as a shared secret": confused(issuer, JSON.stringify(issuer.publicJwk)),
    "an empty shared secret": confused(issuer, ""),
    "a key of its own": await issuer.forge(main),
    "a key of its own under another kid": await issuer.forge(main, { kid: "two" }),
    "a key that the token brings along": await issuer.forge(main, { jwk: stranger.publicJwk as never }),
    "keys elsewhere": await issuer.forge(main, { jku: `${stranger.url}/keys`, kid: "one" }),
    "a kid that is a path": await issuer.forge(main, { kid: "../../../../dev/null" }),
    "a kid that is SQL": await issuer.forge(main, { kid: "' or 1=1 --" }),
    "a critical header that nobody knows": `${encode({ alg: "RS256", kid: "one", crit: ["x"], x: 1 })}.${payload}.${signature}`,
    "another payload": `${header}.${encode({ iss: issuer.url, aud: "reeve", sub: "x", iat: now(), exp: now() + 9, ...main })}.${signature}`,
    expired: await issuer.sign({ ...main, exp: now() - 60 }),
    "without an end": await issuer.sign({ ...main, exp: undefined }),
    "not yet": await issuer.sign({ ...main, nbf: now() + 600 }),
    "from the future": await issuer.sign({ ...main, iat: now() + 600 }),
    "made long ago": await issuer.sign({ ...main, iat: now() - 90_000 }),
    "for somebody else": await issuer.sign({ ...main, aud: "another" }),
    "for nobody": await issuer.sign({ ...main, aud: undefined }),
    "of another issuer": await stranger.sign(main),
    "of another issuer in this one's name": await stranger.sign({ ...main, iss: issuer.url }),
    "what no rule fits": await issuer.sign({ ref: "feature" }),
    "a claim that only inherits": await issuer.sign({ ref: { toString: "main" } as never }),
    rubbish: "a.b.c",
    nothing: "",
  };
  for (const [what, token] of Object.entries(attacks)) {
    const answer = await exchange(server, token);
    expect({ what, status: answer.status, detail: answer.body.detail }).toEqual({
      what,
      status: 401,
      detail: "this token is not accepted",
    });
  }
  const missing = await exchange(server, good, "acme/nothing-here");
  expect(missing).toMatchObject({ status: 401, body: { detail: "this token is not accepted" } });
  expect((await exchange(server, good, "acme/../ci")).status).toBe(422);
  // The same token is good, so each refusal above was for its own reason; the records tell which.
  expect((await exchange(server, good)).status).toBe(200);
  expect(stranger.asked).toEqual([]);
  const rows = await server.database.query<{ why: string }>(
    "select detail ->> 'why' as why from audit where operation = 'exchange' and outcome = 'denied'",
  );
  expect(rows).toHaveLength(Object.keys(attacks).length + 1);
  expect(rows.every(({ why }) => why.length > 5)).toBe(true);
});

test("a token with an id is exchanged once, on whichever replica", async () => {
  const { server, issuer } = await start();
  const second = await testServer({ share: server, settings: behindProxy });
  const token = await issuer.sign({ ...main, jti: "job-1" });
  const answers = await Promise.all([server, second, server, second].map((one) => exchange(one, token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  expect((await exchange(server, await issuer.sign({ ...main, jti: "job-2" }))).status).toBe(200);
});

test("an issuer cannot send Reeve elsewhere, flood it, or pass for another", async () => {
  const { server, issuer } = await start();
  const inner = await testIssuer();
  const token = await issuer.sign(main);
  const elsewhere = JSON.stringify({ issuer: issuer.url, jwks_uri: "http://192.0.2.1/keys" });
  const answers: Issuer["answer"][] = [
    { status: 302, headers: { location: `${inner.url}/.well-known/openid-configuration` }, body: "" },
    { status: 200, body: elsewhere },
    { status: 200, body: JSON.stringify({ issuer: inner.url, jwks_uri: `${inner.url}/keys` }) },
    { status: 200, body: "x".repeat(2 * 1024 * 1024) },
    { status: 500, body: "no" },
  ];
  for (const answer of answers) {
    issuer.answer = answer;
    const { status, body } = await exchange(server, token);
    expect({ status, next: body.next, answer: answer?.status }).toMatchObject({
      status: 503,
      next: expect.stringContaining("try again"),
    });
    // Keys found before are remembered for a while; a new server has found none.
    expect(inner.asked).toEqual([]);
  }
  issuer.answer = undefined;
  expect((await exchange(server, token)).status).toBe(200);
});

test("a TrustedIssuer is https or on this machine, and names no user, query or fragment", async () => {
  const { server } = await start();
  for (const issuer of [
    "http://ci.example",
    "http://127.0.0.1.evil.example",
    "ftp://ci.example",
    "file:///etc/passwd",
    "https://me:secret@ci.example",
    "https://ci.example?x",
    "https://ci.example#x",
    "javascript:alert(1)",
  ]) {
    const rules = [{ claims: { ref: "main" }, serviceAccount: { name: "ci" } }];
    const spec = { issuer, audience: "reeve", rules };
    const answer = await server.call("PUT", "/organizations/acme/trustedissuers/new", { body: { spec } });
    expect(answer, issuer).toMatchObject({ status: 422, body: { errors: [{ pointer: "/spec/issuer" }] } });
  }
});
