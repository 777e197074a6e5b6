import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type Acknowledged, missing } from "../harness/acknowledged.ts";
import { type Answer, type Api, project, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openLedger } from "../harness/ledger.ts";
import { startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

const megabyte = 1024 * 1024;

describe("a disk that is full", needs("rootMount"), () => {
  test("refuses changes by 503 and in words, loses nothing acknowledged, and goes on when there is room", async () => {
    const bench = openBench(onTestFinished);
    const disk = join(bench.folder(), "disk");
    mkdirSync(disk);
    mountSmall(disk, 160);
    bench.keep({ end: () => unmount(disk) });
    chmodSync(disk, 0o711);
    const ledger = openLedger<Acknowledged>(join(bench.folder(), "acknowledged"));
    const server = await startServer(bench, {
      data: join(disk, "data"),
      settings: { REEVE_LOG_LEVEL: "error" },
    });
    const api = await setUp(server.url, server.setupLink);

    const free = statfsSync(disk).bavail * statfsSync(disk).bsize;
    const ballast = join(disk, "ballast");
    writeFileSync(ballast, Buffer.alloc(free - 6 * megabyte));
    const refused = await writeUntilRefused(api, ledger);
    expect(ledger.read().length).toBeGreaterThan(10);
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ kind: "unavailable", next: expect.any(String) });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(refused.body.detail).toMatch(/disk|database cannot be reached/);

    // Without room for its log Postgres goes down by itself. No answer is anything but a plain refusal, all that time.
    await useUpLog(join(disk, "data", "postgres"));
    const deadline = Date.now() + 3000;
    const hammer = async (lane: number) => {
      for (let at = 0; Date.now() < deadline; at++) {
        const answer = await change(api, `full-${lane}-${at}`);
        if (answer.status === 201) note(ledger, answer);
        else expect([answer.status, answer.body.kind], answer.text).toEqual([503, "unavailable"]);
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, lane) => hammer(lane)));
    expect((await api.call("GET", "/livez")).status).toBe(200);

    rmSync(ballast);
    await until(
      "changes to be taken again",
      async () => {
        const answer = await change(api, "roomy");
        if (answer.status === 201) note(ledger, answer);
        return answer.status === 201 || answer.status === 200;
      },
      60_000,
    );
    expect(await missing(api, ledger)).toEqual([]);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });
});

/** Large specs fill the disk quickly; the last answer is the first refusal. */
async function writeUntilRefused(
  api: Api,
  ledger: ReturnType<typeof openLedger<Acknowledged>>,
): Promise<Answer> {
  for (let at = 0; at < 20_000; at++) {
    const answer = await change(api, `p-${at}`);
    if (answer.status !== 201) return answer;
    note(ledger, answer);
  }
  throw new Error("the disk never became full");
}

function change(api: Api, name: string): Promise<Answer> {
  const body = project(name, { description: randomText(2000) });
  return api.call("PUT", `/api/v1/organizations/acme/projects/${name}`, { body });
}

function note(ledger: ReturnType<typeof openLedger<Acknowledged>>, { body }: Answer): void {
  ledger.write({ name: body.metadata.name, uid: body.metadata.uid, revision: body.metadata.revision });
}

function randomText(length: number): string {
  return Array.from({ length }, () => Math.floor(Math.random() * 36).toString(36)).join("");
}

/** Begins new segments of the write-ahead log until there is no room for the next: Postgres panics. */
async function useUpLog(folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: `postgres://reeve@/postgres?host=${folder}` });
  client.on("error", () => {});
  await client.connect();
  const switching = async () => {
    for (let at = 0; at < 20; at++)
      await client.query("select pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()");
  };
  await expect(switching()).rejects.toThrow();
  await client.end().catch(() => {});
}

function mountSmall(folder: string, megabytes: number): void {
  const mounted = spawnSync("/bin/mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]);
  if (mounted.status !== 0) throw new Error(`cannot mount: ${mounted.stderr}`);
}

async function unmount(folder: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    if (spawnSync("/bin/umount", [folder]).status === 0) return;
    await sleep(100);
  }
  spawnSync("/bin/umount", ["-l", folder]);
}
