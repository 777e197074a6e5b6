import { createHash, createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { Keys } from "@reeve/keys";
import { newUid } from "@reeve/model";
import {
  type AgentIdentity,
  type AuthorityRow,
  type Database,
  insertFirstAuthority,
  listAuthorities,
} from "@reeve/store";
import {
  forClients,
  forServers,
  isAuthority,
  isNoAuthority,
  type KeyPair,
  newKeyPair,
  validFor,
  writeCertificate,
  writtenAt,
} from "./certificate.ts";

/**
 * The installation's own certificate authority. Replicas show its certificates to agents, and agents to replicas. When it is
 * rotated all of this changes, on each replica with its next `refresh`.
 */
export interface Authority {
  readonly id: string;
  /** What agents should trust, PEM, the one that signs first; also the one before, while somebody needs it. */
  readonly certificates: string;
  /** SHA-256 of the public key of the one that signs, base64url: what join tokens carry. */
  readonly pin: string;
  /** A new key and its certificate for a replica, alone and with what agents need to verify it behind it. */
  forReplica(name: string): KeyPair & { readonly chain: string };
  /** A certificate over an agent's public key. */
  forAgent(uid: string, publicKey: Uint8Array): AgentIdentity & { readonly certificate: string };
  /** Whose certificate this is and from when to when it is good, if it is one of an agent and an authority that is trusted here signed it. */
  agentOf(certificate: X509Certificate): CertifiedAgent | undefined;
  /** The next authority, with the present one vouching for it; not stored yet. */
  next(): Promise<Made>;
  /** Reads anew. */
  refresh(): Promise<void>;
}

interface CertifiedAgent {
  readonly uid: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

type Made = Pick<AuthorityRow, "id" | "certificate" | "vouched" | "signingKey">;

/** What an agent's certificate and its bearer token are good for; it renews at half of it. */
export const identityHours = 24;

const authorityDays = 20 * 365;
const replicaDays = 10 * 365;
const about = (id: string) => `authority/${id}`;

interface Signer {
  readonly id: string;
  readonly key: KeyObject;
}

/** Made when there is none yet; replicas that start at once agree on one. Who has only the database cannot open its key. */
export async function openAuthority(database: Database, keys: Keys): Promise<Authority> {
  let rows = await readAuthorities(database, keys);
  let signer = await signerOf(keys, rows);
  let refreshing = Promise.resolve();
  async function read(): Promise<void> {
    const found = await listAuthorities(database);
    if (currentOf(found).id !== signer.id) signer = await signerOf(keys, found);
    rows = found;
  }
  const signed = (subject: string, publicKey: Uint8Array) => ({
    subject,
    publicKey,
    issuer: nameOf(signer.id),
    issuerKey: signer.key,
  });
  return {
    get id() {
      return signer.id;
    },
    get certificates() {
      return rows.map((row) => row.certificate).join("");
    },
    get pin() {
      return pinOf(currentOf(rows).certificate);
    },
    forReplica(name) {
      const { publicKey, privateKey } = newKeyPair();
      const cert = writeCertificate({
        ...signed(`reeve-replica-${name}`, publicKey),
        ...validFor(replicaDays),
        extensions: [isNoAuthority, forServers],
      });
      const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      return { cert, key, chain: cert + chainOf(rows) };
    },
    forAgent(uid, publicKey) {
      const { from, until } = { ...validFor(1), until: new Date(Date.now() + identityHours * 3_600_000) };
      const certificate = writeCertificate({
        ...signed(uid, publicKey),
        from,
        until,
        extensions: [isNoAuthority, forClients],
      });
      return {
        certificate,
        hash: fingerprint(certificate),
        expiresAt: until.toISOString(),
        authority: signer.id,
      };
    },
    agentOf(certificate) {
      const issuers = rows.map((row) => new X509Certificate(row.certificate));
      const signed = issuers.some((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey));
      // A replica's has another name.
      const uid = /^CN=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(certificate.subject)?.[1];
      if (!signed || uid === undefined) return undefined;
      return { uid, issuedAt: writtenAt(certificate), expiresAt: certificate.validToDate };
    },
    next: () => makeAuthority(keys, signer),
    // One after the other, so that what was read first is not kept last.
    refresh: () => (refreshing = refreshing.then(read, read)),
  };
}

/** Whether this certificate was issued by the authority with this id. */
export function isIssuedBy(certificate: string, id: string): boolean {
  return new X509Certificate(certificate).issuer === `CN=${nameOf(id)}`;
}

async function readAuthorities(database: Database, keys: Keys): Promise<AuthorityRow[]> {
  const rows = await listAuthorities(database);
  if (rows.length > 0) return rows;
  await insertFirstAuthority(database, await makeAuthority(keys));
  return readAuthorities(database, keys);
}

async function signerOf(keys: Keys, rows: readonly AuthorityRow[]): Promise<Signer> {
  const { id, signingKey } = currentOf(rows);
  const plain = await keys.open(about(id), signingKey);
  return { id, key: createPrivateKey({ key: Buffer.from(plain), format: "der", type: "pkcs8" }) };
}

async function makeAuthority(keys: Keys, before?: Signer): Promise<Made> {
  const id = newUid();
  const { publicKey, privateKey } = newKeyPair();
  const signedBy = (by: Signer) =>
    writeCertificate({
      subject: nameOf(id),
      publicKey,
      issuer: nameOf(by.id),
      issuerKey: by.key,
      ...validFor(authorityDays),
      extensions: [isAuthority],
    });
  return {
    id,
    certificate: signedBy({ id, key: privateKey }),
    vouched: before === undefined ? null : signedBy(before),
    signingKey: await keys.seal("", about(id), privateKey.export({ format: "der", type: "pkcs8" })),
  };
}

/** Behind a replica's certificate: the way to the authority that everybody trusts, which is the one before while there is one. */
function chainOf(rows: readonly AuthorityRow[]): string {
  const { certificate, vouched } = currentOf(rows);
  const before = rows.find((row) => row.state === "trusted");
  return before === undefined || vouched === null ? certificate : vouched + before.certificate;
}

function currentOf(rows: readonly AuthorityRow[]): AuthorityRow {
  const current = rows.find((row) => row.state === "current");
  if (current === undefined) throw new Error("no authority is the current one: this database is damaged");
  return current;
}

/** Each authority has a name of its own, so that a certificate's issuer can be told while two are trusted. */
function nameOf(id: string): string {
  return `Reeve authority ${id}`;
}

/** Of the key, not of the certificate: the same whether the authority vouches for itself or the one before does. */
function pinOf(pem: string): string {
  const { publicKey } = new X509Certificate(pem);
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
}

function fingerprint(pem: string): Buffer {
  return createHash("sha256").update(new X509Certificate(pem).raw).digest();
}
