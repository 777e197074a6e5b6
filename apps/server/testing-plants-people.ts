import { beginRecovery } from "@reeve/access/control";
import { openLane } from "@reeve/store";
import { expect } from "vitest";
import { registry } from "./areas.ts";
import type { TestServer } from "./testing.ts";
import { newCanary, type Plant } from "./testing-canary.ts";
import { firstStep, secondStep, withApp } from "./testing-factors.ts";
import { done, inScope, newProgram, setPassword } from "./testing-people.ts";

/** What people and programs prove with who they are. */
export const peoplePlants: readonly Plant[] = [
  { what: "passwords: right, wrong and refused", plant: plantPasswords },
  { what: "tokens and sessions", plant: plantTokens },
  { what: "second factors: the seed of an app, recovery codes, a sign-in half done", plant: plantFactors },
  { what: "links: of the setup, of an invitation, of a recovery; used, unused and wrong", plant: plantLinks },
];

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
  const asked = { body: {}, headers: { "idempotency-key": "issue" } };
  const answers = [
    await program.call("GET", "/whoami"),
    await server.call("GET", "/whoami", { token: unknown }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  // An answer that is kept for whoever asks again by the same key does not hold it.
  const issued = await done(server.call("POST", `${inScope("acme/shop")}/tokens/ci/actions/issue`, asked));
  return { secrets: [program.token, issued.body.secret, unknown, server.owner], answers };
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
  const secrets = [app.seed, ...codes, ...plain, pending, person.token];
  return { secrets, answers: [wrong.body], people: [person] };
}

async function plantLinks(server: TestServer) {
  const { database } = server;
  const post = (path: string, body: object, from: string) =>
    server.call("POST", path, { token: null, body, headers: { "x-forwarded-for": from } });
  const invite = async (name: string) => {
    const path = `${inScope("acme")}/invitations/${name}`;
    const spec = { email: `${name}@example.com`, role: "viewer" };
    await done(server.call("PUT", path, { body: { spec } }));
    const { body } = await done(server.call("POST", `${path}/actions/issue`, { body: {} }));
    return body.link.split("#")[1] as string;
  };
  const lane = openLane({ database, registry, reconciled: new Set() });
  const recovery = async (user: string) => (await beginRecovery({ database, lane }, user)).token;
  await done(server.call("PUT", "/users/rupert", { body: {} }));
  const links = {
    setup: server.setupToken as string,
    invited: await invite("ivan"),
    pending: await invite("nobody"),
    recovered: await recovery("rupert"),
    unused: await recovery("grace"),
  };
  const [password, wrong] = [newCanary(), newCanary()];
  const setup = (token: string) =>
    post("/setup", { token, user: "eve", password, organization: "eve" }, "10.7.1.1");
  const accept = (token: string, user: string) =>
    post("/invitations/accept", { token, user, password }, "10.7.1.2");
  const recover = (token: string) => post("/recover", { token, password }, "10.7.1.3");
  const answers = [
    await accept(links.invited, "ivan"),
    await recover(links.recovered),
    await setup(links.setup),
    await setup(`reeve_setup_${wrong}`),
    await accept(links.invited, "eve"),
    await accept(`reeve_invitation_${wrong}`, "eve"),
    await recover(links.recovered),
    await recover(`reeve_recovery_${wrong}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 412, 412, 412, 412, 412, 412]);
  return { secrets: [...Object.values(links), password, wrong], answers: answers.map(({ body }) => body) };
}
