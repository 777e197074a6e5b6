import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished, test } from "vitest";
import { password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openCli } from "../harness/cli.ts";
import { startServer } from "../harness/server-process.ts";

test("backed up, verified, and brought back on another machine, by the command line alone", async () => {
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
  const first = await startServer(bench, { data: join(folder, "old"), settings });
  const reeve = openCli(bench);
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
  expect(readdirSync(settings.REEVE_BACKUP_TO)).toEqual(["before-the-move"]);
  await first.stop();

  const data = join(folder, "new");
  const from = join(settings.REEVE_BACKUP_TO, "before-the-move");
  const rootKey = join(folder, "old", "root.key");
  const restore = ["restore", "--from", from, "--identity", identityFile, "--root-key", rootKey];
  const restored = await reeve(restore, { env: { REEVE_DATA: data } });
  expect(restored.stdout).toMatch(/^Restored before-the-move: /);
  expect(restored.code, restored.stderr).toBe(0);
  const twice = await reeve(restore, { env: { REEVE_DATA: data } });
  expect(twice.stderr).toMatch(/^reeve: cannot restore: there is an installation in this database already$/m);
  expect(twice.code).toBe(1);
  const second = await startServer(bench, { data, settings: { ...settings, REEVE_ROOT_KEY_FILE: rootKey } });
  const signIn = ["login", second.url, "--user", "ada", "--password-stdin"];
  expect((await reeve(signIn, { stdin })).code).toBe(0);
  expect((await reeve(["get", "organizations"])).stdout).toContain("acme");
});
