import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import type { Keys } from "@reeve/keys";
import { newUid } from "@reeve/model";
import { type AgentIdentity, type Database, insertFirstAuthority, listAuthorities } from "@reeve/store";
import {
  forClients,
  forServers,
  isAuthority,
  isNoAuthority,
  type KeyPair,
  newKeyPair,
  validFor,
  writeCertificate,
} from "./certificate.ts";

/** The installation's own certificate authority. Replicas show its certificates to agents, and agents to replicas. */
export interface Authority {
  /** What agents should trust, PEM, the one that signs first. A new one is trusted for a while before it signs. */
  readonly certificates: string;
  /** SHA-256 of the certificate of the one that signs, base64url: what join tokens carry. */
  readonly pin: string;
  /** A new key and its certificate for a replica, alone and with the authority's behind it. */
  forReplica(name: string): KeyPair & { readonly chain: string };
  /** A certificate over an agent's public key. */
  forAgent(uid: string, publicKey: Uint8Array): AgentIdentity & { readonly certificate: string };
}

/** What an agent's certificate and its bearer token are good for; it renews at half of it. */
export const identityHours = 24;

const authorityDays = 20 * 365;
const replicaDays = 10 * 365;
const about = (id: string) => `authority/${id}`;

/** Made when there is none yet; replicas that start at once agree on one. Who has only the database cannot open its key. */
export async function openAuthority(database: Database, keys: Keys): Promise<Authority> {
  const rows = await listAuthorities(database);
  const current = rows.find((row) => row.state === "current");
  if (current === undefined) {
    await makeAuthority(database, keys);
    return openAuthority(database, keys);
  }
  const plain = await keys.open(about(current.id), current.signingKey);
  const issuerKey = createPrivateKey({ key: Buffer.from(plain), format: "der", type: "pkcs8" });
  const issuer = nameOf(current.id);
  return {
    certificates: rows.map((row) => row.certificate).join(""),
    pin: createHash("sha256").update(new X509Certificate(current.certificate).raw).digest("base64url"),
    forReplica(name) {
      const { publicKey, privateKey } = newKeyPair();
      const cert = writeCertificate({
        subject: `reeve-replica-${name}`,
        publicKey,
        issuer,
        issuerKey,
        ...validFor(replicaDays),
        extensions: [isNoAuthority, forServers],
      });
      const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      return { cert, key, chain: cert + current.certificate };
    },
    forAgent(uid, publicKey) {
      const { from, until } = { ...validFor(1), until: new Date(Date.now() + identityHours * 3_600_000) };
      const certificate = writeCertificate({
        subject: uid,
        publicKey,
        issuer,
        issuerKey,
        from,
        until,
        extensions: [isNoAuthority, forClients],
      });
      return { certificate, hash: fingerprint(certificate), expiresAt: until.toISOString() };
    },
  };
}

async function makeAuthority(database: Database, keys: Keys): Promise<void> {
  const id = newUid();
  const { publicKey, privateKey } = newKeyPair();
  const certificate = writeCertificate({
    subject: nameOf(id),
    publicKey,
    issuer: nameOf(id),
    issuerKey: privateKey,
    ...validFor(authorityDays),
    extensions: [isAuthority],
  });
  const plain = privateKey.export({ format: "der", type: "pkcs8" });
  await insertFirstAuthority(database, {
    id,
    certificate,
    signingKey: await keys.seal("", about(id), plain),
  });
}

/** Each authority has a name of its own, so that a certificate's issuer can be told while two are trusted. */
function nameOf(id: string): string {
  return `Reeve authority ${id}`;
}

function fingerprint(pem: string): Buffer {
  return createHash("sha256").update(new X509Certificate(pem).raw).digest();
}
