import { createHmac, createPrivateKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sealed } from "@reeve/keys";
import { testKeys } from "@reeve/keys/testing";
import { isSigned, type SignedHead } from "@reeve/model/audit";
import { readSealing, unpublishedHeads } from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { expect, onTestFinished, test } from "vitest";
import { publishHeads } from "./publish.ts";
import { openSigner } from "./signer.ts";
import { testAudit } from "./testing.ts";

function linesOf(file: string): SignedHead[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-heads-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "heads.jsonl");
}

test("a file gets a line for each head that is new, signed", async () => {
  const audit = await testAudit();
  const file = newFile();
  await audit.write(3, ["acme", "beta"]);
  await audit.seal();
  await publishHeads(audit.database, { file });
  await publishHeads(audit.database, { file });
  await audit.write(1, ["acme"]);
  await audit.seal();
  await publishHeads(audit.database, { file });
  const heads = linesOf(file);
  expect(heads.map(({ organization, revision }) => [organization, revision])).toEqual([
    ["acme", 5],
    ["beta", 6],
    ["acme", 7],
  ]);
  expect(heads.every(audit.signer.isGenuine)).toBe(true);
  expect(heads.every((head) => !isSigned({ ...head, hash: "0".repeat(64) }))).toBe(true);
});

test("a webhook is told with a signature of its secret; a head that it did not take is told again", async () => {
  const audit = await testAudit();
  const secret = "a secret for heads";
  const heard: { body: string; genuine: boolean }[] = [];
  let status = 500;
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": given } = request.headers;
    const wanted = createHmac("sha256", secret).update(`${id}.${at}.${body}`).digest("base64");
    heard.push({ body, genuine: given === `v1,${wanted}` });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const webhook = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads`, secret };
  await audit.write(2);
  await audit.seal();
  await expect(publishHeads(audit.database, { webhook })).rejects.toThrow("the webhook answered 500");
  expect(await unpublishedHeads(audit.database)).toHaveLength(1);
  status = 204;
  await publishHeads(audit.database, { webhook });
  expect(await unpublishedHeads(audit.database)).toEqual([]);
  expect(heard.map(({ genuine }) => genuine)).toEqual([true, true]);
  expect(JSON.parse(heard[1]?.body ?? "")).toMatchObject({ type: "audit.heads", heads: [{ revision: 2 }] });
});

test("all replicas sign with one key, which lies in the database closed", async () => {
  const { database } = await testDatabase();
  const keys = await testKeys(database);
  const [one, two] = await Promise.all([openSigner(database, keys), openSigner(database, keys)]);
  const head = {
    organization: "acme",
    revision: 1,
    at: "2026-01-01T00:00:00.000Z",
    hash: "ab",
    checkpoint: false,
  };
  expect(two.isGenuine(one.sign(head))).toBe(true);
  const { signingKey } = await readSealing<Sealed>(database);
  const der = Buffer.from(signingKey?.data ?? "", "base64");
  expect(() => createPrivateKey({ key: der, format: "der", type: "pkcs8" })).toThrow();
});
