import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished, test } from "vitest";
import { password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openCli } from "../harness/cli.ts";
import { refusedServer, startServer } from "../harness/server-process.ts";

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
