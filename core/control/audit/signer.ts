import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import type { Keys, Sealed } from "@reeve/keys";
import { type AuditHead, isSigned, publicKeyOf, type SignedHead, signHead } from "@reeve/model/audit";
import { type Database, keepSigningKey, readSealing } from "@reeve/store";

/** Signs the heads of chains, and knows its own signature again. */
export interface Signer {
  sign(head: AuditHead): SignedHead;
  isGenuine(head: SignedHead): boolean;
}

const about = "audit/signing-key";

/** The installation's own key, made when it is first needed. Who has only the database cannot open it, so cannot sign. */
export async function openSigner(database: Database, keys: Keys): Promise<Signer> {
  const found = (await readSealing<Sealed>(database)).signingKey;
  if (found === null) {
    const { privateKey } = generateKeyPairSync("ed25519");
    const plain = privateKey.export({ format: "der", type: "pkcs8" });
    await keepSigningKey(database, await keys.seal("", about, plain));
    return openSigner(database, keys);
  }
  const der = Buffer.from(await keys.open(about, found));
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const publicKey = publicKeyOf(key);
  return {
    sign: (head) => signHead(head, key),
    isGenuine: (head) => head.key === publicKey && isSigned(head),
  };
}
