import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM under a fresh nonce; `about` is not kept, and whoever opens must say the same. */
export function close(key: Uint8Array, about: string, plain: Uint8Array): { nonce: Buffer; data: Buffer } {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(about));
  return { nonce, data: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]) };
}

/** Throws when key, nonce, data and `about` do not all belong together. */
export function open(key: Uint8Array, about: string, nonce: Uint8Array, data: Uint8Array): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(data.subarray(-tagBytes));
  return Buffer.concat([decipher.update(data.subarray(0, -tagBytes)), decipher.final()]);
}

/** A key closed by another, as one text. */
export function wrapKey(outer: Uint8Array, about: string, inner: Uint8Array): string {
  const { nonce, data } = close(outer, about, inner);
  return Buffer.concat([nonce, data]).toString("base64");
}

export function unwrapKey(outer: Uint8Array, about: string, wrapped: string): Buffer {
  const bytes = Buffer.from(wrapped, "base64");
  return open(outer, about, bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes));
}
