import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";

/**
 * A place in an organization's chain that Reeve vouches for. Whoever keeps one elsewhere can prove all that came before it; a
 * checkpoint says that everything up to here was removed because its time was over.
 */
export interface AuditHead {
  readonly organization: string;
  /** The record it stands at, with its time and its hash. */
  readonly revision: number;
  readonly at: string;
  readonly hash: string;
  readonly checkpoint: boolean;
}

export interface SignedHead extends AuditHead {
  /** The public key (Ed25519, base64url as in a JWK). */
  readonly key: string;
  /** Ed25519 over `headText`, base64url. */
  readonly signature: string;
}

export function signHead(head: AuditHead, privateKey: KeyObject): SignedHead {
  const signature = sign(null, Buffer.from(headText(head)), privateKey).toString("base64url");
  return { ...head, key: publicKeyOf(privateKey), signature };
}

/** Whether the head was signed by the key that it names: whose key that is, the reader must know. */
export function isSigned(head: SignedHead): boolean {
  try {
    const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: head.key } });
    return verify(null, Buffer.from(headText(head)), key, Buffer.from(head.signature, "base64url"));
  } catch {
    return false;
  }
}

export function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: "jwk" }).x as string;
}

function headText({ organization, revision, at, hash, checkpoint }: AuditHead): string {
  return JSON.stringify(["reeve/audit-head/1", organization, revision, at, hash, checkpoint]);
}
