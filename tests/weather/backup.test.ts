import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { s3Key, startTestS3, type TestS3 } from "../../core/control/storage/testing-s3.ts";
import { type Api, project, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { launchServer, refusedServer, type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

const shopPath = "/api/v1/organizations/acme/projects/shop";

/** kill -9 in the middle of a backup and of a restore. The storage keeps silent at a chosen request: that is the middle. */
describe("a server that is killed or stopped", () => {
  const bench = openBench(afterAll);
  const folder = bench.folder();
  const identityFile = join(folder, "identity.txt");
  let s3: TestS3;
  let settings: Record<string, string>;
  let server: ServerProcess;
  let api: Api;
  let token: string;

  beforeAll(async () => {
    s3 = await startTestS3();
    bench.keep({ end: () => s3.close() });
    const identity = await generateX25519Identity();
    writeFileSync(identityFile, `${identity}\n`, { mode: 0o600 });
    writeFileSync(join(folder, "s3-secret"), s3Key.secret, { mode: 0o600 });
    settings = {
      REEVE_BACKUP_TO: `s3://${s3Key.bucket}/reeve`,
      REEVE_BACKUP_RECIPIENTS: await identityToRecipient(identity),
      REEVE_BACKUP_IDENTITY: identityFile,
      REEVE_BACKUP_S3_ENDPOINT: s3.url,
      REEVE_BACKUP_S3_REGION: s3Key.region,
      REEVE_BACKUP_S3_ACCESS_KEY: s3Key.accessKey,
      REEVE_BACKUP_S3_SECRET_FILE: join(folder, "s3-secret"),
    };
    server = await startServer(bench, { data: join(folder, "data"), settings });
    api = await setUp(server.url, server.setupLink);
    const made = await api.call("PUT", shopPath, { body: project("shop") });
    expect(made.status, made.text).toBe(201);
    token = await issueToken(api);
  });

  test("in the middle of a backup leaves nothing that looks whole, and the next one finishes it", async () => {
    s3.silentTo = (request) => request.startsWith("PUT ") && request.includes("/resource.copy");
    await api.call("PUT", "/api/v1/backups/first", { body: { spec: {} } });
    await until("the storage to be asked for the resources", () => s3.seen.some(s3.silentTo));
    await server.crash();
    expect(s3.objects.size).toBeGreaterThan(3);
    expect([...s3.objects.keys()].filter((key) => key.endsWith("manifest.json"))).toEqual([]);
    const left = [...s3.objects.keys()];
    s3.silentTo = () => false;
    server = await startServer(bench, { data: join(folder, "data"), settings });
    api = server.api(api.token);
    await until("the backup to be verified", async () => (await verified(api)) === "true", 60_000);
    expect([...s3.objects.keys()].filter((key) => left.includes(key))).toEqual([]);
    expect(s3.objects.has("reeve/first/manifest.json")).toBe(true);
  });

  test("is not kept from stopping by a storage that does not answer", async () => {
    s3.seen.length = 0;
    s3.silentTo = (request) => request.startsWith("GET ") && request.includes("/resource.copy");
    await api.call("POST", "/api/v1/backups/first/actions/verify", { body: {} });
    await until("the storage to be asked for the resources", () => s3.seen.some(s3.silentTo));
    expect((await server.stop()).code).toBe(0);
    s3.silentTo = () => false;
    server = await startServer(bench, { data: join(folder, "data"), settings });
    api = server.api(api.token);
    await until("the backup to be verified", async () => (await verified(api)) === "true", 60_000);
  });

  test("in the middle of a restore leaves the database as empty as it was, and the same command begins again", async () => {
    const before = (await api.call("GET", "/api/v1/server")).body;
    const { metadata } = (await api.call("GET", shopPath)).body;
    await server.stop();
    const data = join(bench.folder(), "data");
    const args = ["--restore", `s3://${s3Key.bucket}/reeve/first`];

    const keyless = await refusedServer(bench, { data, settings, args });
    expect(keyless.code).toBe(1);
    expect(keyless.stderr).toMatch(/the backup needs the root key local-\w+, and there is none in/);
    writeFileSync(join(folder, "wrong.key"), `${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
    const wrong = await refusedServer(bench, {
      data,
      settings: { ...settings, REEVE_ROOT_KEY_FILE: join(folder, "wrong.key") },
      args,
    });
    expect(wrong.stderr).toMatch(/the backup needs the root key local-\w+, and only local-\w+ is in/);

    mkdirSync(data, { recursive: true, mode: 0o711 });
    copyFileSync(join(folder, "data", "root.key"), join(data, "root.key"));
    s3.seen.length = 0;
    s3.silentTo = (request) => request.startsWith("GET ") && request.includes("/resource_label.copy");
    const { running } = launchServer(bench, { data, settings, args });
    await until("the storage to be asked for a late part", () => s3.seen.some(s3.silentTo), 60_000);
    running.kill("SIGKILL");
    await running.ended;
    s3.silentTo = () => false;
    expect(existsSync(join(data, "installation.json"))).toBe(false);

    const again = launchServer(bench, { data, settings, args }).running;
    expect((await again.ended).code, again.stderr()).toBe(0);
    expect(again.stdout()).toMatch(/^Restored first: the state of /);
    const twice = await refusedServer(bench, { data, settings, args });
    expect(twice.stderr).toContain("there is an installation in this database already");

    const restored = await startServer(bench, { data, settings });
    expect(restored.setupLink).toBeUndefined();
    expect((await restored.api(api.token).call("GET", "/api/v1/whoami")).status).toBe(401);
    const owner = restored.api(token);
    const shop = await owner.call("GET", shopPath);
    expect(shop.body.metadata).toEqual(metadata);
    expect((await owner.call("GET", "/api/v1/server")).body.timeline).not.toBe(before.timeline);
    const watch = `/api/v1/organizations/acme/projects?watch=true&since=${metadata.revision}`;
    expect((await owner.call("GET", watch)).status).toBe(410);
    const { items } = (await owner.call("GET", "/api/v1/audit?operation=restore")).body;
    expect(items).toMatchObject([{ operation: "restore", name: "first" }]);
    // The copy of the backup that was still being written when its own snapshot was taken.
    await until("the backup to be known as stored", async () => (await verified(owner)) === "true", 60_000);
  });
});

async function issueToken(api: Api): Promise<string> {
  const body = { spec: { subject: { kind: "User", name: "ada" } } };
  await api.call("PUT", "/api/v1/tokens/mine", { body });
  return (await api.call("POST", "/api/v1/tokens/mine/actions/issue", { body: {} })).body.secret;
}

async function verified(api: Api): Promise<string | undefined> {
  const { status } = (await api.call("GET", "/api/v1/backups/first")).body;
  return status?.conditions?.find((one: { type: string }) => one.type === "Verified")?.status;
}
