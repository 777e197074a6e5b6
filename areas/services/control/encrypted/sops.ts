import { createHash } from "node:crypto";
import { Fault } from "@reeve/model";
import type { Decrypter } from "age-encryption";
import { openAge } from "./age.ts";
import { readSops, type SopsAbout, type SopsFile } from "./sops-formats.ts";
import { isEncrypted, openValue, plainBytes } from "./sops-value.ts";

/** Other ways to keep the data key, which SOPS has and this does not. */
const others = ["kms", "gcp_kms", "azure_kv", "hc_vault", "hckms", "pgp"];

/** What the code begins with when only encrypted values are in it, so that one sort is never taken for the other. */
const onlyEncryptedStart = createHash("sha256").update("sops").digest();

/** The file as it was before SOPS. Throws a Fault when no identity fits, or what is there is not what was encrypted. */
export async function openSops(path: string, text: string, identities: Decrypter): Promise<string> {
  const file = readSops(path, text);
  if (file === undefined)
    throw new Fault("precondition", `${path} cannot be read as a file of SOPS`, {
      next: "SOPS is read in YAML, JSON, dotenv and binary files: encrypt it anew in one of these",
    });
  const key = await dataKey(path, file.about, identities);
  try {
    if (openAll(file, key)) return file.text();
  } catch {
    // What does not open was changed, too.
  }
  throw new Fault("precondition", `${path} was changed after it was encrypted: its code (MAC) is wrong`, {
    next: "edit it with `sops edit`, never by hand, and push it again",
  });
}

async function dataKey(path: string, about: SopsAbout, identities: Decrypter): Promise<Uint8Array> {
  if (about.key_groups !== undefined)
    throw new Fault("precondition", `${path} needs several keys together (key groups), which are not read`, {
      next: "encrypt it to age recipients without key groups",
    });
  const wrapped = Array.isArray(about.age) ? (about.age as { enc?: unknown }[]) : [];
  if (wrapped.length === 0) {
    const found = others.filter((name) => about[name] !== undefined && about[name] !== null);
    throw new Fault("precondition", `${path} is encrypted for ${found.join(", ") || "nobody"}, not for age`, {
      next: "only age recipients are read: add one with `sops rotate --add-age RECIPIENT --in-place`",
    });
  }
  for (const { enc } of wrapped) {
    const key = await openAge(String(enc), identities);
    if (key !== undefined) return key;
  }
  throw noIdentity(path);
}

export function noIdentity(path: string): Fault {
  return new Fault(
    "precondition",
    `${path} is encrypted for others: no identity of the Repository opens it`,
    {
      next: "encrypt it to the Repository's recipient too, or add the identity to the Secret of `decryption`",
    },
  );
}

/** Sets all values to what they were; false when the code over them says that something else was encrypted. */
function openAll({ about, leaves }: SopsFile, key: Uint8Array): boolean {
  const only = about.mac_only_encrypted === true || about.mac_only_encrypted === "true";
  const hash = createHash("sha512");
  if (only) hash.update(onlyEncryptedStart);
  for (const { path, value, set } of leaves) {
    if (!isEncrypted(value)) {
      if (!only) hash.update(plainBytes(value));
      continue;
    }
    const opened = openValue(key, value, `${path.join(":")}:`);
    hash.update(opened.bytes);
    set(opened.value);
  }
  const mac = openValue(key, String(about.mac), String(about.lastmodified));
  return mac.value === hash.digest("hex").toUpperCase();
}
