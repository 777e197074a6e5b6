import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished, test } from "vitest";
import { type AgentProcess, agentProcess, joinToken } from "../harness/agent-process.ts";
import { password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openCli } from "../harness/cli.ts";
import { freePort } from "../harness/replicas.ts";
import { launchServer, refusedServer, startServer } from "../harness/server-process.ts";
import { shopOf } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

const words = "words-of-acme-only";

const sealed = `apiVersion: reeve/v1
kind: Organization
metadata: { name: acme }
spec: { encryptAtRest: true }
---
apiVersion: reeve/v1
kind: Project
metadata: { scope: acme, name: shop }
spec: { description: ${words} }
---
apiVersion: reeve/v1
kind: Workflow
metadata: { scope: acme/shop, name: hello }
spec:
  inputs: { word: { default: none } }
  steps: [{ name: greet, run: "echo the word is \${{ inputs.word }}" }]
`;

test("what an organization has sealed is backed up, verified, and brought back on another machine, by the command line alone", {
  timeout: 300_000,
}, async () => {
  const bench = openBench(onTestFinished);
  const folder = bench.folder();
  const identity = await generateX25519Identity();
  const identityFile = join(folder, "identity.txt");
  writeFileSync(identityFile, `${identity}\n`, { mode: 0o600 });
  const settings = {
    REEVE_BACKUP_TO: join(folder, "backups"),
    REEVE_BACKUP_RECIPIENTS: await identityToRecipient(identity),
    REEVE_BACKUP_IDENTITY: identityFile,
  };
  const agent = { REEVE_HOME_AGENT: "on" };
  const first = await startServer(bench, { data: join(folder, "old"), settings: { ...settings, ...agent } });
  const reeve = openCli(bench, { REEVE_SCOPE: "acme/shop" });
  const stdin = `${password}\n`;
  const setUp = [
    "setup",
    first.setupLink ?? "",
    "--user",
    "ada",
    "--organization",
    "acme",
    "--password-stdin",
  ];
  expect((await reeve(setUp, { stdin })).code).toBe(0);
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await reeve(args);
    expect(code, `reeve ${args.join(" ")}: ${stderr}`).toBe(0);
    return stdout;
  };
  writeFileSync(join(reeve.home, "sealed.yaml"), sealed);
  await done("apply", "-f", "sealed.yaml");
  await done("wait", "organization/acme", "--for", "condition=EncryptedAtRest");
  await done("run", "hello", "-i", `word=${words}`, "--follow");
  const run = (await done("runs", "hello", "-o", "name")).trim();
  const reads = [
    ["get", "project/shop", "-o", "yaml"],
    ["runs", "show", run],
    ["logs", `run/${run}`, "-f"],
  ];
  const read = () => Promise.all(reads.map(async (args) => (await done(...args)).replace(/, \w+ ago;/, "")));
  const before = await read();
  for (const text of before) expect(text).toContain(words);

  const made = await reeve(["backup", "create", "before-the-move", "--description", "moving"]);
  expect(made.stderr).toMatch(/backup before-the-move: [\d.]+ [kM]B, \d+ rows; verified by restoring it/);
  expect(made.code).toBe(0);
  expect((await reeve(["backup", "create", "another", "--no-wait"])).code).toBe(0);
  const again = await reeve(["backup", "verify", "before-the-move"]);
  expect(again.code, again.stderr).toBe(0);
  const listed = await reeve(["backup", "list"]);
  expect(listed.stdout).toMatch(/before-the-move .* verified /);
  expect((await reeve(["wait", "backup/another", "--for", "condition=Verified"])).code).toBe(0);
  expect((await reeve(["backup", "delete", "another"])).code).toBe(0);
  expect((await reeve(["wait", "backup/another", "--for", "deleted"])).code).toBe(0);
  expect(readdirSync(settings.REEVE_BACKUP_TO)).toEqual([".reeve-storage", "before-the-move"]);
  await first.stop();

  const data = join(folder, "new");
  const from = join(settings.REEVE_BACKUP_TO, "before-the-move");
  const rootKey = join(folder, "old", "root.key");
  const keyless = ["restore", "--from", from, "--identity", identityFile];
  const refused = await reeve(keyless, { env: { REEVE_DATA: data } });
  expect(refused.stderr).toMatch(
    /cannot restore: the backup needs the root key local-\w+, and there is none in/,
  );
  expect(refused.code).toBe(1);
  const restore = [...keyless, "--root-key", rootKey];
  const restored = await reeve(restore, { env: { REEVE_DATA: data } });
  expect(restored.stdout).toMatch(/^Restored before-the-move: /);
  expect(restored.code, restored.stderr).toBe(0);
  const twice = await reeve(restore, { env: { REEVE_DATA: data } });
  expect(twice.stderr).toMatch(/^reeve: cannot restore: there is an installation in this database already$/m);
  expect(twice.code).toBe(1);
  // The key of another installation opens nothing of this one, and no server pretends otherwise.
  const stranger = join(folder, "stranger.key");
  writeFileSync(stranger, `${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
  const shut = await refusedServer(bench, { data, settings: { REEVE_ROOT_KEY_FILE: stranger } });
  expect(shut).toMatchObject({ code: 1, stderr: expect.stringMatching(/root key/) });
  const second = await startServer(bench, { data, settings: { ...settings, REEVE_ROOT_KEY_FILE: rootKey } });
  const signIn = ["login", second.url, "--user", "ada", "--password-stdin"];
  expect((await reeve(signIn, { stdin })).code).toBe(0);
  expect(await done("get", "organizations")).toContain("acme");
  expect(await read()).toEqual(before);
});

const identityOf = ({ data }: AgentProcess) => JSON.parse(readFileSync(join(data, "identity.json"), "utf8"));

/** As after half of its identity's life: it renews when it starts. */
async function renewIdentity(agent: AgentProcess): Promise<void> {
  await agent.stop();
  const identity = identityOf(agent);
  const due = { ...identity, renewAt: new Date().toISOString() };
  writeFileSync(join(agent.data, "identity.json"), JSON.stringify(due));
  agent.start();
  await until("the agent to renew", () => identityOf(agent).generation > identity.generation);
}

test("agents that renewed after the backup are back by themselves when it is restored, and what they run goes on", {
  timeout: 300_000,
}, async () => {
  const bench = openBench(onTestFinished);
  const folder = bench.folder();
  const identity = await generateX25519Identity();
  const identityFile = join(folder, "identity.txt");
  writeFileSync(identityFile, `${identity}\n`, { mode: 0o600 });
  const port = await freePort();
  const settings = {
    REEVE_AGENT_LISTEN: `127.0.0.1:${port}`,
    REEVE_BACKUP_TO: join(folder, "backups"),
    REEVE_BACKUP_RECIPIENTS: await identityToRecipient(identity),
    REEVE_BACKUP_IDENTITY: identityFile,
  };
  const first = await startServer(bench, { data: join(folder, "old"), settings });
  const shop = await shopOf(bench, first);
  const agent = agentProcess(bench, { name: "edge", urls: [`https://127.0.0.1:${port}`] });
  await agent.join(await joinToken(shop.api, "edge"));
  agent.start();
  const [mark, gate] = [join(folder, "mark"), join(folder, "gate")];
  const run = `echo begun >>${mark}; while [ ! -e ${gate} ]; do sleep 0.1; done; echo done >>${mark}`;
  await shop.workflow("long", { steps: [{ name: "wait", run }] });
  const id = await shop.begin("long");
  await until("the step to run", async () => (await shop.run(id)).steps.wait?.state === "running");
  await until("the step to begin", () => existsSync(mark));
  await shop.done(["backup", "create", "early"]);
  await renewIdentity(agent);
  const lost = identityOf(agent);
  expect(lost.generation).toBe(2);
  await until("it to be connected with that", () => agent.said().split("connected to").length > 2);
  expect((await first.stop()).code).toBe(0);

  const data = join(folder, "new");
  const restored = { ...settings, REEVE_ROOT_KEY_FILE: join(folder, "old", "root.key") };
  const args = ["--restore", join(settings.REEVE_BACKUP_TO, "early")];
  const restoring = launchServer(bench, { data, settings: restored, args }).running;
  expect((await restoring.ended).code, restoring.stderr()).toBe(0);
  const second = await startServer(bench, { data, settings: restored });
  const signedIn = await second.api().call("POST", "/api/v1/sessions", { body: { user: "ada", password } });
  const api = second.api(signedIn.body.token);
  const read = async (path: string) => (await api.call("GET", `/api/v1/${path}`)).body;
  const isRenewed = () => identityOf(agent).proof.certificate !== lost.proof.certificate;
  await until("the agent to renew", () => isRenewed() || agent.hasEnded());
  expect(agent.hasEnded(), agent.said()).toBe(false);
  expect(identityOf(agent).uid).toBe(lost.uid);
  const audit = await read("audit?kind=Host&operation=renew");
  expect(audit.items).toMatchObject([{ name: "edge", outcome: "done" }]);

  writeFileSync(gate, "");
  await until("the run to end", async () => (await read(`runs/${id}`)).state === "succeeded");
  expect((await read(`runs/${id}/steps`)).items).toMatchObject([{ name: "wait", attempt: 1 }]);
  expect(readFileSync(mark, "utf8")).toBe("begun\ndone\n");
});
