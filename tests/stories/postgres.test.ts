import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../core/store/index.ts";
import { needs, systemPostgres } from "../../tools/components.ts";
import { dumpSchema } from "../../tools/generate/dump-schema.ts";
import { type Api, project, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openWatch } from "../harness/event-stream.ts";
import { type PrivatePostgres, postgresPassword, startPostgres } from "../harness/private-postgres.ts";
import { root } from "../harness/processes.ts";
import { refusedServer, type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** The whole on a PostgreSQL that the machine brings, as an ordinary user of it that owns nothing but its database. */
describe("on a system PostgreSQL", needs("postgresql"), () => {
  const bench = openBench(afterAll);
  let postgres: PrivatePostgres;
  let server: ServerProcess;
  let api: Api;
  const settings = () => ({ REEVE_DATABASE_URL: postgres.url("reeve", "app") });

  beforeAll(async () => {
    postgres = await startPostgres(bench, { bin: systemPostgres() ?? "" });
    await postgres.query(`create role app login password '${postgresPassword}'`);
    await postgres.query("create database reeve owner app");
  });

  test("an empty database becomes an installation, and the schema is the one that is checked in", async () => {
    server = await startServer(bench, { settings: { ...settings(), REEVE_REPLICA: "one" } });
    api = await setUp(server.url, server.setupLink);
    const database = openDatabase({ url: postgres.url("reeve"), connections: 1 });
    const schema = await dumpSchema(database).finally(() => database.close());
    const checkedIn = readFileSync(join(root, "core", "store", "schema.sql"), "utf8");
    expect(schema.trim()).toBe(checkedIn.replace(/^(--.*\n)+\n/, "").trim());
  });

  test("a wrong password is refused by name, and told to nobody", async () => {
    const wrong = settings().REEVE_DATABASE_URL.replace(postgresPassword, "not-the-password");
    const refused = await refusedServer(bench, { settings: { REEVE_DATABASE_URL: wrong } });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/REEVE_DATABASE_URL.*password authentication failed/);
    expect(refused.stderr).not.toContain("not-the-password");
    expect(refused.stdout + refused.stderr, "it was tried again").not.toContain("in trouble");
  });

  test("first steps by REST: apply many, select, change, history, rollback, watch, delete", async () => {
    const acme = "/api/v1/organizations/acme";
    const watch = await openWatch(server.url, api.token, `${acme}/projects?watch=true`);
    const many = Array.from({ length: 250 }, (_, at) => ({
      ...project(`p-${at}`, { displayName: `Project ${at}` }),
      metadata: { scope: "acme", name: `p-${at}`, labels: { tier: at % 2 ? "odd" : "even" } },
    }));
    const applied = await api.call("POST", "/api/v1/apply", { body: { resources: many } });
    expect(applied.body.results.every((one: { outcome: string }) => one.outcome === "created")).toBe(true);

    const odd = await api.call("GET", `${acme}/projects?labels=tier%3Dodd&limit=100`);
    expect(odd.body.items).toHaveLength(100);
    const rest = await api.call("GET", `${acme}/projects?labels=tier%3Dodd&continue=${odd.body.continue}`);
    expect(rest.body.items).toHaveLength(25);

    const one = `${acme}/projects/p-1`;
    const changed = await api.call("PATCH", one, { body: { spec: { displayName: "Other" } } });
    expect(changed.body.metadata.generation).toBe(2);
    expect((await api.call("POST", `${one}/rollback`, { body: { generation: 1 } })).status).toBe(200);
    const history = (await api.call("GET", `${one}/history`)).body.items;
    expect(history.map((item: { generation: number }) => item.generation)).toEqual([3, 2, 1]);
    const stale = { headers: { "if-match": `"${changed.body.metadata.revision}"` }, body: { spec: {} } };
    expect((await api.call("PATCH", one, stale)).status).toBe(409);

    const inside = { apiVersion: "reeve/v1", kind: "Workspace", metadata: { scope: "acme/p-1", name: "w" } };
    expect((await api.call("POST", `${one}/workspaces`, { body: inside })).status).toBe(201);
    expect((await api.call("DELETE", one)).status).toBe(202);
    await until("the project to be gone", async () => (await api.call("GET", one)).status === 404);

    await until("the watch to see the end", () => watch.events.some(({ event }) => event === "removed"));
    watch.close();
    const told = watch.events.filter(({ event }) => event !== "synced");
    const ids = told.map(({ id }) => id ?? 0);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(told.filter(({ event }) => event === "added")).toHaveLength(250);
  });

  test("a second replica joins, and the first goes on after Postgres was killed and restarted", async () => {
    const two = await startServer(bench, { settings: { ...settings(), REEVE_REPLICA: "two" } });
    expect(two.setupLink).toBeUndefined();
    expect((await two.api(api.token).call("GET", "/api/v1/organizations/acme/projects/p-2")).status).toBe(
      200,
    );
    await postgres.crash();
    const path = "/api/v1/organizations/acme/projects/after";
    const waiting = api.call("PUT", path, { body: project("after") });
    await postgres.start();
    expect((await waiting).status).toBe(201);
    expect((await two.api(api.token).call("GET", path)).status).toBe(200);
    for (const one of [server, two]) expect(await one.stop()).toEqual({ code: 0, signal: null });
  });
});
