import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { firstStep, secondStep, withApp } from "./testing-factors.ts";
import { behindProxy, newUser, password, setPassword } from "./testing-people.ts";

const tooMany = { status: 429, body: { detail: "too many wrong attempts" } };

test("wrong passwords are counted over all replicas, for users who exist and who do not, and not elsewhere", async () => {
  const one = await withGrace();
  const two = await testServer({ settings: behindProxy, share: one });
  for (const user of ["grace", "nobody"]) {
    const from = `10.2.0.${user.length}`;
    for (const server of [one, two])
      for (let guess = 0; guess < 5; guess++)
        expect((await trial(server, user, "a wrong password", from)).status).toBe(401);
    // Also the right password is not looked at any more: it would tell that the guess was right.
    for (const server of [one, two]) expect(await trial(server, user, password, from)).toMatchObject(tooMany);
  }
  expect((await trial(two, "grace", password, "10.2.1.1")).status).toBe(201);
});

test("right passwords do not use up the attempts", async () => {
  const server = await withGrace();
  for (let guess = 0; guess < 9; guess++) await trial(server, "grace", "a wrong password", "10.2.0.1");
  const other = await testServer({ settings: behindProxy, share: server });
  for (let time = 0; time < 3; time++)
    expect((await trial(other, "grace", password, "10.2.0.1")).status).toBe(201);
});

test("who guesses from everywhere does not keep the person out where they have a session, nor for long elsewhere", async () => {
  const server = await withGrace();
  await trial(server, "grace", password, "10.2.0.1");
  await trial(server, "grace", "a wrong password", "10.2.0.2");
  // As if a hundred had been wrong, from addresses that were each used a little.
  await server.database.query("update attempt set count = 100 where count > 0");
  expect(await trial(server, "grace", password, "10.2.0.3")).toMatchObject(tooMany);
  expect((await trial(server, "grace", password, "10.2.0.1")).status).toBe(201);
  await server.database.query("update attempt set since = now() - interval '16 minutes'");
  expect((await trial(server, "grace", password, "10.2.0.3")).status).toBe(201);
});

test("wrong codes are counted; whoever knows the password cannot go on guessing", async () => {
  const server = await withGrace();
  const { app } = await withApp(server, "grace");
  const from = "10.2.0.1";
  for (let guess = 0; guess < 5; guess++) {
    const pending = await firstStep(server, "grace", `10.2.1.${guess}`);
    expect((await secondStep(server, pending, "000000", from)).status).toBe(401);
  }
  const pending = await firstStep(server, "grace", "10.2.2.1");
  expect(await secondStep(server, pending, app.code(), from)).toMatchObject(tooMany);
  expect((await secondStep(server, pending, app.code(), "10.2.3.1")).status).toBe(201);
});

test("a session that was found open is no place to guess the password", async () => {
  const server = await withGrace();
  const { body } = await trial(server, "grace", password, "10.2.0.1");
  const guess = (current: string) =>
    server.call("POST", "/users/grace/actions/set-password", {
      token: body.token,
      body: { password: "another long password", current },
    });
  for (let time = 0; time < 10; time++) expect((await guess("a wrong password")).status).toBe(422);
  expect(await guess(password)).toMatchObject(tooMany);
});

async function withGrace(): Promise<TestServer> {
  const server = await testServer({ settings: behindProxy });
  await newUser(server, "grace");
  await setPassword(server, "grace");
  return server;
}

function trial(server: TestServer, user: string, guess: string, from: string) {
  const headers = { "x-forwarded-for": from };
  return server.call("POST", "/sessions", { token: null, headers, body: { user, password: guess } });
}
