import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../core/store/testing.ts";
import { setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { startPostgres } from "../harness/private-postgres.ts";
import { startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** What an operator and a load balancer see of a stop and of an outage. */

test("a stop is unready first and still answers, so that a load balancer loses nothing; then it ends in order", async () => {
  const bench = openBench(onTestFinished);
  const { url } = await testDatabase();
  const server = await startServer(bench, {
    settings: { REEVE_DATABASE_URL: url, REEVE_DRAIN_SECONDS: "8" },
  });
  const api = await setUp(server.url, server.setupLink);
  const stopped = server.stop();
  await until("the server to be unready", async () => (await api.call("GET", "/readyz")).status === 503);
  expect((await api.call("GET", "/readyz")).body.reasons).toEqual(["the server is stopping"]);
  // On a connection of its own, as from somebody who has not heard of it.
  const fresh = await fetch(`${server.url}/api/v1/whoami`, {
    headers: { authorization: `Bearer ${api.token}`, connection: "close" },
  });
  expect(fresh.status).toBe(200);
  expect(server.hasEnded()).toBe(false);
  expect(await stopped).toEqual({ code: 0, signal: null });
  await expect(fetch(`${server.url}/livez`)).rejects.toThrow();
});

test("an outage of the database is told once, with its beginning and its end, and not by every try", async () => {
  const bench = openBench(onTestFinished);
  const postgres = await startPostgres(bench);
  await postgres.query("create database reeve");
  const server = await startServer(bench, { settings: { REEVE_DATABASE_URL: postgres.url("reeve") } });
  const api = await setUp(server.url, server.setupLink);
  const told = (message: string) =>
    server
      .stderr()
      .split("\n")
      .filter((line) => line.includes(`"${message}"`))
      .map((line) => JSON.parse(line) as { trouble?: string; tries?: number; awaySeconds?: number });

  await postgres.crash();
  const readiness = async () => (await api.call("GET", "/readyz")).body.reasons?.[0] ?? "";
  await until("the outage to be noticed", async () =>
    /^the database cannot be reached since \d{4}-.*Z$/.test(await readiness()),
  );
  const failed = await Promise.all(
    Array.from({ length: 20 }, () => api.call("GET", "/api/v1/organizations/acme")),
  );
  expect(failed.map(({ status }) => status)).toEqual(Array(20).fill(503));
  await until("the outage to be told again", () => told("the database is still in trouble").length > 0);
  expect(told("the database is in trouble").filter(({ trouble }) => trouble === "away")).toHaveLength(1);
  expect(told("the database is still in trouble")[0]?.tries).toBeGreaterThan(5);
  expect(server.stderr()).not.toContain("a request failed");

  await postgres.start();
  await until("the end to be told", () => told("the database is back").length > 0);
  expect(told("the database is back")[0]?.awaySeconds).toBeGreaterThan(10);
  expect((await api.call("GET", "/readyz")).status).toBe(200);
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});
