import { pathTrouble } from "./path.ts";

/**
 * The files of a generation as they travel to agents, by their path. No secret is in it: those are in the environment, or encrypted
 * here and fetched apart.
 */
export type Bundle = Readonly<Record<string, string>>;

/** More than Compose files and settings ever need; data does not belong here. */
export const mostBytes = 1024 * 1024;

/** Under which name an agent asks for it. */
export const bundleName = (digest: string) => `services/bundles/${digest}`;

/** And what its encrypted files hold: made for the one agent that asks, in that moment. */
export const openedName = (digest: string) => `services/opened/${digest}`;

/** One text for the same files, whatever order they were written in: its SHA-256 is the bundle's address. */
export function packBundle(files: Bundle): string {
  const sorted = Object.keys(files).sort();
  return JSON.stringify(Object.fromEntries(sorted.map((path) => [path, files[path]])));
}

/** What came over the wire is not believed: a path that leads out of the folder is refused here too. */
export function readBundle(text: string): Bundle {
  const files = JSON.parse(text) as Record<string, unknown>;
  for (const [path, content] of Object.entries(files)) {
    const trouble = pathTrouble(path) ?? (typeof content === "string" ? undefined : "it has no content");
    if (trouble !== undefined) throw new Error(`the bundle's file ${JSON.stringify(path)}: ${trouble}`);
  }
  return files as Bundle;
}
