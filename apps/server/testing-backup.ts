import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished } from "vitest";
import type { Answer, TestServer } from "./testing.ts";
import { done } from "./testing-people.ts";

/** A folder for backups with the keys to it, and the settings that go with them. */
export async function backupFolder() {
  const folder = mkdtempSync(join(tmpdir(), "reeve-backups-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const identity = await generateX25519Identity();
  const identityFile = join(folder, "identity.txt");
  writeFileSync(identityFile, `# a comment\n${identity}\n`);
  const to = join(folder, "store");
  const settings = {
    REEVE_BACKUP_TO: to,
    REEVE_BACKUP_RECIPIENTS: await identityToRecipient(identity),
    REEVE_BACKUP_IDENTITY: identityFile,
  };
  return { folder, to, settings };
}

export async function backUp(server: TestServer, name: string): Promise<void> {
  await done(server.call("PUT", `/backups/${name}`, { body: { spec: {} } }));
}

/** The condition `Verified`, once it is known. */
export async function verdict(server: TestServer, name: string): Promise<Answer["body"]> {
  const read = async () => {
    const { status } = (await server.call("GET", `/backups/${name}`)).body;
    return status.conditions?.find((one: { type: string }) => one.type === "Verified");
  };
  // It is restored for that, into a database of its own: all of Postgres's work, on a machine that may be busy.
  await expect.poll(read, { timeout: 150_000 }).toBeDefined();
  return read();
}
