import { X509Certificate } from "node:crypto";
import { testKeys } from "@reeve/keys/testing";
import { newUid } from "@reeve/model";
import { replaceAuthority } from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { expect, test } from "vitest";
import { openAuthority } from "./authority.ts";
import {
  forClients,
  isNoAuthority,
  newKeyPair,
  selfSigned,
  validFor,
  writeCertificate,
} from "./certificate.ts";
import { readSigningRequest } from "./signing-request.ts";
import { testSigningRequest } from "./testing.ts";

test("replicas that start at once agree on one authority, and its key is nowhere in the clear", async () => {
  const { database } = await testDatabase();
  const keys = await testKeys(database);
  const opened = await Promise.all([1, 2, 3, 4].map(() => openAuthority(database, keys)));
  expect(new Set(opened.map((one) => one.pin)).size).toBe(1);
  const rows = await database.query<{ text: string }>("select authority::text as text from authority");
  expect(rows).toHaveLength(1);
  expect(rows[0]?.text).not.toContain("PRIVATE");
  expect((await openAuthority(database, keys)).pin).toBe(opened[0]?.pin);
});

test("a replica's certificate is for servers, an agent's for clients; neither can sign others", async () => {
  const { database } = await testDatabase();
  const authority = await openAuthority(database, await testKeys(database));
  const root = new X509Certificate(authority.certificates);
  const replica = authority.forReplica("a");
  const uid = newUid();
  const { request } = testSigningRequest();
  const agent = authority.forAgent(uid, readSigningRequest(request));
  const [server, client] = [new X509Certificate(replica.cert), new X509Certificate(agent.certificate)];
  for (const one of [server, client]) {
    expect(one.checkIssued(root) && one.verify(root.publicKey)).toBe(true);
    expect(one.ca).toBe(false);
  }
  expect(server.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  expect(client.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(client.subject).toBe(`CN=${uid}`);
  expect(client.validToDate.getTime() - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
  expect(agent.hash.toString("hex")).toBe(client.fingerprint256.replaceAll(":", "").toLowerCase());
});

test("an authority knows the certificates that it or the one before has given to agents, and none else", async () => {
  const { database } = await testDatabase();
  const keys = await testKeys(database);
  const authority = await openAuthority(database, keys);
  const uid = newUid();
  const publicKey = readSigningRequest(testSigningRequest().request);
  const agentOf = (pem: string) => authority.agentOf(new X509Certificate(pem));
  const { certificate, expiresAt } = authority.forAgent(uid, publicKey);
  const known = agentOf(certificate);
  expect(known?.uid).toBe(uid);
  expect(Date.now() - Number(known?.issuedAt)).toBeLessThan(10_000);
  expect(Date.now() - Number(known?.issuedAt)).toBeGreaterThanOrEqual(0);
  expect(Math.abs(Number(known?.expiresAt) - Date.parse(expiresAt))).toBeLessThan(1000);
  expect(agentOf(authority.forReplica("a").cert)).toBeUndefined();
  expect(agentOf(selfSigned(uid, [], 1).cert)).toBeUndefined();
  const { issuer } = new X509Certificate(certificate);
  const forged = writeCertificate({
    subject: uid,
    publicKey,
    issuer: issuer.replace("CN=", ""),
    issuerKey: newKeyPair().privateKey,
    ...validFor(1),
    extensions: [isNoAuthority, forClients],
  });
  expect(new X509Certificate(forged).issuer).toBe(issuer);
  expect(agentOf(forged)).toBeUndefined();
  const other = await openAuthority((await testDatabase()).database, keys);
  expect(agentOf(other.forAgent(uid, publicKey).certificate)).toBeUndefined();
  const before = authority.id;
  await replaceAuthority(database, before, await authority.next());
  await authority.refresh();
  expect(authority.id).not.toBe(before);
  expect(agentOf(certificate)?.uid).toBe(uid);
});

test("a signing request is only good when it is whole and signed with its own key", () => {
  const { request } = testSigningRequest();
  const other = testSigningRequest().request;
  expect(readSigningRequest(request).length).toBe(91);
  // The key of one, the signature of the other.
  const forged = Uint8Array.from(request);
  forged.set(other.subarray(20, 110), 20);
  const cut = request.subarray(0, request.length - 1);
  const longer = Uint8Array.from([...request, 0]);
  for (const bad of [
    forged,
    cut,
    longer,
    new Uint8Array(),
    new Uint8Array(5000).fill(0x30),
    Buffer.from("{}"),
  ])
    expect(() => readSigningRequest(bad)).toThrow(/PKCS #10/);
  for (let at = 0; at < request.length; at++) {
    const broken = Uint8Array.from(request);
    broken[at] = (broken[at] as number) ^ 0x01;
    let read: Buffer | undefined;
    try {
      read = readSigningRequest(broken);
    } catch {
      continue;
    }
    // What is not covered by the signature may differ; what is certified may not.
    expect(read.equals(readSigningRequest(request))).toBe(true);
  }
});
