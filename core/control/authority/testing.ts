import { sign } from "node:crypto";
import { newKeyPair } from "./certificate.ts";
import { bits, integer, oid, sequence, tagged } from "./der.ts";

/** A new key, and the signing request for it, as an agent makes them. */
export function testSigningRequest(): { key: string; request: Uint8Array<ArrayBuffer> } {
  const { publicKey, privateKey } = newKeyPair();
  const info = sequence(integer(Buffer.from([0])), sequence(), publicKey, tagged(0xa0));
  const signature = bits(sign("sha256", info, privateKey));
  const request = sequence(info, sequence(oid("1.2.840.10045.4.3.2")), signature);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    request: new Uint8Array(request),
  };
}
