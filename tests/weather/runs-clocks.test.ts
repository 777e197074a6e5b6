import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { agentProcess, joinToken } from "../harness/agent-process.ts";
import { type Api, openApi, password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { clockMaker } from "../harness/skewed-clock.ts";
import { until } from "../harness/until.ts";
import { brokenTicks } from "./runs/findings.ts";
import { readBodyLines } from "./runs/ledger-lines.ts";
import { body, stormManifests, workflow } from "./runs/workflows.ts";
import { apply, openWorld, trigger, untilConnected, untilEnded, type World } from "./runs/world.ts";

const bench = openBench(afterAll);
const minute = 60;
const day = 86_400;

/** The database's clock is the one that counts, and what nobody can set: those of replicas and hosts are for people to look at. */
describe("clocks that are 50 minutes apart", needs("compiler"), () => {
  let world: World;
  let apis: readonly Api[];
  const set = (name: string, seconds: number) => world.clocks.get(name)?.set(seconds);
  beforeAll(async () => {
    world = await openWorld(bench, { replicas: 2, agents: 2, clocks: true });
    apis = world.replicas.map(({ url }) => openApi(url, world.api.token));
    for (const name of ["r0", "a0"]) set(name, 25 * minute);
    for (const name of ["r1", "a1"]) set(name, -25 * minute);
    // Their certificates are of their own time.
    for (const replica of world.replicas) {
      await replica.crash();
      await replica.start();
    }
  });
  const sayOnFailure = () =>
    onTestFailed(() => {
      for (const { name, server } of world.replicas)
        console.error(`${name}: ${server.stderr().slice(-2000)}`);
      for (const { agent } of world.agents) console.error(`${agent.name}: ${agent.said().slice(-2000)}`);
    });
  const databaseNow = async () => (await world.postgres.query<{ now: Date }>("select now()"))[0]?.now as Date;

  test("I10: each second has its run, at its time, while clocks of replicas jump", async () => {
    sayOnFailure();
    const { postgres, api, ledger } = world;
    const fired = async () =>
      (await postgres.query<object>("select 1 from run where cause = 'schedule'")).length;
    await apply(api, stormManifests(ledger));
    for (const [name, seconds] of [
      ["r1", 25 * minute],
      ["r0", -25 * minute],
    ] as const) {
      set(name, seconds);
      const before = await fired();
      await until("two ticks", async () => (await fired()) >= before + 2, 60_000);
    }
    await apply(api, stormManifests(ledger, { ticking: false }));
    expect(await brokenTicks({ postgres }, 4)).toEqual([]);
    const away =
      "select id, scheduled_at, created_at from run where cause = 'schedule' and abs(extract(epoch from created_at - scheduled_at)) > 30";
    expect(await postgres.query(away)).toEqual([]);
  });

  test("clocks that jump end nothing, repeat nothing and lose no agent", async () => {
    sayOnFailure();
    const { postgres, api, agents, ledger } = world;
    const steps = ["timed", "once", "alone"].map((name) => ({
      ...{ name, each: [1, 2], run: body("sleep 4"), needs: [] },
      ...(name === "timed" && { timeouts: { finish: "5m" } }),
      ...(name === "once" && { effect: "at-most-once" }),
      ...(name === "alone" && { exclusive: true }),
    }));
    await apply(api, [workflow("jumps", ledger, { steps })]);
    await untilConnected(postgres, 2);
    const run = await trigger(api, "jumps");
    const starts = () =>
      readBodyLines(ledger).filter(({ what, key }) => what === "start" && key.startsWith(run));
    await until("all to run", () => starts().length === 6, 60_000);
    for (const { agent } of agents) {
      set(agent.name, agent.name === "a0" ? -25 * minute : 25 * minute);
      await agent.crash();
      agent.start();
    }
    expect(await untilEnded(api, run, 60_000)).toBe("succeeded");
    expect(starts().length).toBe(6);
    expect(await postgres.query("select * from step_attempt where run = $1", [run])).toEqual([]);
    expect(
      await postgres.query("select * from run_event where run = $1 and tone = 'warning'", [run]),
    ).toEqual([]);
  });

  test("an agent joins, is served by all and renews its identity, by whatever clock", async () => {
    sayOnFailure();
    const { postgres, replicas, api } = world;
    set("r0", 25 * minute);
    set("r1", -25 * minute);
    const clock = clockMaker(bench)();
    clock.set(-25 * minute);
    const urls = replicas.map(({ agentPort }) => `https://127.0.0.1:${agentPort}`);
    const agent = agentProcess(bench, { name: "late", urls, env: clock.env });
    onTestFailed(() => console.error(agent.said()));
    await agent.join(await joinToken(api, "late"));
    const generation = async (since: Date) =>
      (
        await postgres.query<{ generation: number }>(
          "select identity_generation::int as generation from agent where name = 'late' and state = 'connected' and beat_at > $1",
          [since],
        )
      )[0]?.generation;
    for (const [ahead, wanted] of [
      [-25 * minute, 1],
      [13 * 60 * minute, 2],
      [3 * day, 3],
      [0, 3],
    ] as const) {
      await agent.crash();
      const since = await databaseNow();
      clock.set(ahead);
      agent.start();
      const served = async () => (await generation(since)) === wanted;
      await until(`generation ${wanted} at ${ahead} s`, served, 60_000);
    }
  });

  test("a database that is away is waited for, however clocks jump meanwhile", async () => {
    sayOnFailure();
    const { postgres } = world;
    const [fast] = apis as [Api, Api];
    await postgres.crash();
    const asked = fast.call("GET", "/api/v1/organizations/acme/projects");
    await sleep(500);
    set("r0", 25 * minute + 60);
    await sleep(1000);
    await postgres.start();
    expect((await asked).status).toBe(200);
  });

  test("tokens, proofs and join tokens expire by the database's clock, on every replica", async () => {
    sayOnFailure();
    const { postgres, replicas } = world;
    const [fast, slow] = apis as [Api, Api];
    const onBoth = async (token: string, method: string, path: string) =>
      String(
        await Promise.all(
          [fast, slow].map(async ({ url }) => (await openApi(url, token).call(method, path)).status),
        ),
      );
    const inTenMinutes = new Date((await databaseNow()).getTime() + 600_000).toISOString();
    const overFor = (column: string) =>
      `update resource set ${column} = jsonb_set(${column}, '{expiresAt}', to_jsonb((now() - interval '10 minutes')::timestamptz))`;

    const spec = { subject: { kind: "User", name: "ada" }, expiresAt: inTenMinutes };
    const token = { apiVersion: "reeve/v1", kind: "Token", metadata: { scope: "", name: "short" }, spec };
    expect((await fast.call("PUT", "/api/v1/tokens/short", { body: token })).status).toBe(201);
    const issued = await slow.call("POST", "/api/v1/tokens/short/actions/issue", { body: {} });
    const { secret } = issued.body.output ?? issued.body;
    expect(await onBoth(secret, "GET", "/api/v1/whoami")).toBe("200,200");
    await postgres.query(`${overFor("spec")} where kind = 'Token' and name = 'short'`);
    const refused = async () => (await onBoth(secret, "GET", "/api/v1/whoami")) === "401,401";
    await until("the token to be refused", refused, 60_000);

    const session = await slow.call("POST", "/api/v1/sessions", { body: { user: "ada", password } });
    const sensitive = () => onBoth(session.body.token, "POST", "/api/v1/factors/totp/seed");
    expect(await sensitive()).toBe("200,200");
    await postgres.query(
      "update session set authenticated_at = authenticated_at - interval '11 minutes' where created_at = (select max(created_at) from session)",
    );
    await until("the proof to be stale", async () => (await sensitive()) === "403,403");

    for (const [at, { agentPort }] of replicas.entries()) {
      const text = await joinToken(fast, "short", { expiresAt: inTenMinutes, uses: 2 });
      const join = (name: string) =>
        agentProcess(bench, { name, urls: [`https://127.0.0.1:${agentPort}`] }).join(text);
      await join(`good-${at}`);
      await postgres.query(`${overFor("status")} where kind = 'JoinToken' and name = 'short'`);
      await expect(join(`bad-${at}`)).rejects.toThrow("not valid");
    }
  });
});
