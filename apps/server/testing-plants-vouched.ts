import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { TestServer } from "./testing.ts";
import { newCanary, type Plant } from "./testing-canary.ts";
import { testIssuer } from "./testing-issuer.ts";
import { done, inScope, personWith } from "./testing-people.ts";
import { clientCanary, federate, openBrowser, startProvider } from "./testing-provider.ts";

/** What others vouch with for people and for programs. */
export const vouchedPlants: readonly Plant[] = [
  { what: "an identity provider: its client's secret, and the codes of journeys", plant: plantProvider },
  { what: "a program's JWT, right and forged, and the token that it is exchanged for", plant: plantWorkload },
];

async function plantProvider(server: TestServer) {
  const provider = await startProvider(server);
  await federate(server, provider);
  await provider.tell("olga");
  const begin = `${server.url}/api/v1/sign-in/oidc/corporate`;
  const browser = openBrowser("olga");
  const { url: back } = await browser.follow(begin, ({ pathname }) => pathname.endsWith("/callback"));
  const stolen = await openBrowser().go(back.href);
  const entered = await browser.go(back.href);
  const again = await browser.go(back.href);
  expect([stolen.status, entered.status, again.status]).toEqual([401, 302, 401]);

  const verifier = newCanary().padEnd(43, "v");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const query = `?port=4567&challenge=${challenge}`;
  const journey = openBrowser("olga");
  const { url: end } = await journey.follow(`${begin}${query}`, ({ port }) => port === "4567");
  const code = end.searchParams.get("code") as string;
  const redeem = (given: object) =>
    server.call("POST", "/sign-in/oidc", { token: null, body: { code, verifier, ...given } });
  const wrong = await redeem({ verifier: newCanary().padEnd(43, "w") });
  const session = await done(redeem({}));
  expect(wrong.status).toBe(401);
  const olga = personWith(server, "olga", session.body.token);
  const cookies = [browser, journey].flatMap((one) =>
    [...one.cookies].flatMap(([name, value]) =>
      name.startsWith(`${new URL(server.url).host} `) ? [value] : [],
    ),
  );
  return {
    secrets: [clientCanary, back.searchParams.get("code") as string, verifier, code, olga.token, ...cookies],
    answers: [stolen.text, entered.text, again.text, wrong.body],
    people: [olga],
  };
}

async function plantWorkload(server: TestServer) {
  const shop = inScope("acme/shop");
  const issuer = await testIssuer();
  const rules = [{ claims: { ref: "main" }, serviceAccount: { name: "robot" } }];
  const spec = { issuer: issuer.url, audience: "reeve", rules };
  await done(server.call("PUT", `${shop}/serviceaccounts/robot`, { body: {} }));
  await done(server.call("PUT", `${shop}/trustedissuers/robots`, { body: { spec } }));
  const exchange = (token: string) =>
    server.call("POST", "/tokens/exchange", {
      token: null,
      body: {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        subject_token: token,
        audience: "acme/shop/robots",
      },
    });
  const right = await issuer.sign({ ref: "main", jti: "once" });
  const refused = [await issuer.forge({ ref: "main" }), await issuer.sign({ ref: "other" })];
  const token: string = (await done(exchange(right))).body.access_token;
  const robot = personWith(server, "robot", token);
  await done(robot.call("GET", "/whoami"));
  const answers = [await exchange(right), ...(await Promise.all(refused.map(exchange)))];
  expect(answers.every(({ status }) => status >= 400)).toBe(true);
  // Without its signature a JWT proves nothing.
  const signatures = [right, ...refused].map((jwt) => jwt.split(".")[2] as string);
  return { secrets: [token, ...signatures], answers: answers.map(({ body }) => body) };
}
