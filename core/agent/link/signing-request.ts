import { generateKeyPairSync, sign } from "node:crypto";

/** A new key that never leaves this host, and the request (PKCS #10) to certify it. The authority decides on every name. */
export interface SigningRequest {
  /** PEM. */
  readonly key: string;
  readonly der: Uint8Array<ArrayBuffer>;
}

const ecdsaWithSha256 = Buffer.from("300a06082a8648ce3d040302", "hex");
const version0 = Buffer.from("020100", "hex");
const noName = Buffer.from("3000", "hex");
const noAttributes = Buffer.from("a000", "hex");
const noUnusedBits = Buffer.from("00", "hex");

/** Written out: the library for it would be a third of the agent's memory. */
export function newSigningRequest(): SigningRequest {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const asked = sequence(version0, noName, publicKey.export({ type: "spki", format: "der" }), noAttributes);
  const signature = tagged(0x03, noUnusedBits, sign("sha256", asked, privateKey));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    der: new Uint8Array(sequence(asked, ecdsaWithSha256, signature)),
  };
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts);

/** ASN.1 DER, for contents of less than 256 bytes: a request for a P-256 key has 190. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x81, content.length];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
