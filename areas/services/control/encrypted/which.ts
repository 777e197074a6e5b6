/** How a file of a repository is encrypted. Told by its name and text alone: nothing is opened for it. */
export type Encryption = "age" | "sops";

const ageSuffix = ".age";

export function encryptionOf(path: string, text: string): Encryption | undefined {
  if (path.endsWith(ageSuffix)) return "age";
  return isSops(path, text) ? "sops" : undefined;
}

/** Under which name the opened file is delivered: `app.env.age` becomes `app.env`, and a file of SOPS keeps its name. */
export function openedPath(path: string): string {
  return path.endsWith(ageSuffix) ? path.slice(0, -ageSuffix.length) : path;
}

/** SOPS puts the data key, and a code over all values, into the file itself; each format has its own place for them. */
function isSops(path: string, text: string): boolean {
  if (!text.includes("ENC[AES256_GCM,")) return false;
  if (/\.ya?ml$/.test(path)) return /^"?sops"?:/m.test(text);
  if (path.endsWith(".env")) return /^sops_mac=/m.test(text);
  if (path.endsWith(".ini")) return /^\[sops\]/m.test(text);
  return /"sops"\s*:\s*\{/.test(text);
}
