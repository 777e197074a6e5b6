import { Fault } from "@reeve/model";
import { armor, Decrypter } from "age-encryption";

const begin = "-----BEGIN AGE ENCRYPTED FILE-----";

/** A file of age is bytes, or their armour; it travels as text. */
export function ageText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("latin1");
  return text.trimStart().startsWith(begin) ? text : armor.encode(bytes);
}

/** What a file of identities opens, as age-keygen writes it: one in a line, and comments. */
export function readIdentities(text: string): Decrypter {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const identities = lines.filter((line) => line !== "" && !line.startsWith("#"));
  const decrypter = new Decrypter();
  try {
    for (const identity of identities) decrypter.addIdentity(identity);
    if (identities.length > 0) return decrypter;
  } catch {
    // It may hold a part of a secret: its words are not passed on.
  }
  throw new Fault("precondition", "what `decryption.identity` refers to is no age identity", {
    next: "put there what age-keygen writes: lines that begin with AGE-SECRET-KEY-1",
  });
}

/** Undefined when none of the identities fits. */
export async function openAge(armored: string, identities: Decrypter): Promise<Uint8Array | undefined> {
  try {
    return await identities.decrypt(armor.decode(armored));
  } catch (error) {
    if (/no identity matched/.test((error as Error).message)) return undefined;
    throw error;
  }
}
