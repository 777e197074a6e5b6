import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs, systemPostgres } from "../../tools/components.ts";
import { type Acknowledged, makeProjects, missing } from "../harness/acknowledged.ts";
import { setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openLedger } from "../harness/ledger.ts";
import { startPostgres } from "../harness/private-postgres.ts";
import { startServer } from "../harness/server-process.ts";
import { startStandby } from "../harness/standby.ts";
import { openProxy } from "../harness/tcp-proxy.ts";
import { until } from "../harness/until.ts";

describe("a failover of the database", needs("postgresql"), () => {
  test("to a synchronous standby is waited out: no change is refused, and nothing acknowledged is missing", async () => {
    const bench = openBench(onTestFinished);
    const bin = systemPostgres() as string;
    const primary = await startPostgres(bench, { bin });
    const standby = await startStandby(bench, primary, bin);
    const address = await openProxy(bench, primary.port);
    const url = primary.url().replace(`:${primary.port}/`, `:${address.port}/`);
    const server = await startServer(bench, { settings: { REEVE_DATABASE_URL: url } });
    const api = await setUp(server.url, server.setupLink);
    const ledger = openLedger<Acknowledged>(join(bench.folder(), "acknowledged"));
    const writing = makeProjects(api, ledger, "kept");
    await until("100 acknowledged projects", () => writing.made() >= 100);

    await primary.crash();
    // The address moves before the standby has been told: for a while it answers, and writes nothing.
    address.pointTo(standby.port);
    await sleep(1500);
    const before = writing.made();
    await standby.promote();
    await until("another 100", () => writing.made() >= before + 100, 60_000);
    writing.stop();
    await writing.ended;
    expect(await missing(api, ledger)).toEqual([]);
    const verified = await api.call("POST", "/api/v1/audit/verify", { body: {} });
    expect(verified.body).toMatchObject({ intact: true });
    expect(server.stderr()).not.toContain("a request failed");
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });
});
