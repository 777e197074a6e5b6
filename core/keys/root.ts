import { createHmac } from "node:crypto";
import { keyBytes, unwrapKey, wrapKey } from "./cipher.ts";

/** The key above all others. It is kept outside of the database, and may never leave the place that keeps it. */
export interface RootKey {
  /** Names the key and tells nothing about it. */
  readonly id: string;
  wrap(plain: Uint8Array): Promise<string>;
  unwrap(wrapped: string): Promise<Uint8Array>;
}

/** A place that keeps root keys. During a rotation it keeps two of them, so it is always asked for a key by its id. */
export interface RootPlace {
  /** Where somebody would look, for messages. */
  readonly where: string;
  /** Whether every replica sees a key as soon as it is made here. */
  readonly seenByAll: boolean;
  /** What it keeps right now, the newest last. */
  keys(): Promise<readonly RootKey[]>;
  /** Makes a new key in this place. Throws a Fault when only a person can. */
  make(): Promise<RootKey>;
}

/** A root key whose bytes we hold ourselves. */
export function localKey(bytes: Uint8Array): RootKey {
  const id = `local-${createHmac("sha256", bytes).update("reeve root key id").digest("hex").slice(0, 20)}`;
  return {
    id,
    wrap: async (plain) => wrapKey(bytes, id, plain),
    unwrap: async (wrapped) => unwrapKey(bytes, id, wrapped),
  };
}

/** Keys as people write them: each 32 bytes in base64, the newest last. Never says what it read. */
export function parseKeys(text: string, separator: string, where: string): RootKey[] {
  const words = text
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== "");
  return words.map((word, at) => {
    const bytes = Buffer.from(word, "base64");
    if (bytes.length !== keyBytes || bytes.toString("base64").replace(/=+$/, "") !== word.replace(/=+$/, ""))
      throw new Error(
        `${where}: key ${at + 1} is not ${keyBytes} bytes in base64; \`openssl rand -base64 ${keyBytes}\` makes one`,
      );
    return localKey(bytes);
  });
}
