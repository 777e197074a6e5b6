import { Fault } from "@reeve/model";
import type { Decrypter } from "age-encryption";
import type { Bundle } from "../../kinds/bundle.ts";
import { openAge } from "./age.ts";
import { noIdentity, openSops } from "./sops.ts";
import { encryptionOf, openedPath } from "./which.ts";

/** Which of the files are encrypted, by their path. */
export function encryptedIn(files: Bundle): string[] {
  return Object.entries(files).flatMap(([path, text]) =>
    encryptionOf(path, text) === undefined ? [] : [path],
  );
}

/** These files as they were before they were encrypted, under the names that they are delivered by. They must reach no row, log or answer. */
export async function openFiles(
  files: Bundle,
  encrypted: readonly string[],
  identities: Decrypter,
): Promise<Bundle> {
  const opened: Record<string, string> = {};
  for (const path of encrypted)
    opened[openedPath(path)] = await openFile(path, files[path] ?? "", identities);
  return opened;
}

async function openFile(path: string, text: string, identities: Decrypter): Promise<string> {
  if (encryptionOf(path, text) === "sops") return openSops(path, text, identities);
  const bytes = await openAge(text, identities).catch(() => {
    throw new Fault("precondition", `${path} is no file that age has made, or it was changed since`, {
      next: "encrypt it anew, and push it",
    });
  });
  if (bytes === undefined) throw noIdentity(path);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Fault("precondition", `${path} does not hold text`, { next: "put data where it is used" });
  }
}
