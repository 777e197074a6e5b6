import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@reeve/store";
import { onTestFinished } from "vitest";
import { type Keyring, openKeys } from "./keys.ts";
import { rootEnvironment } from "./root-environment.ts";
import { openRoots } from "./roots.ts";

/** Keys under a root key of this test's own. */
export async function testKeys(database: Database): Promise<Keyring> {
  const place = rootEnvironment(randomBytes(32).toString("base64"));
  return openKeys(database, await openRoots(database, [place]));
}

/** The path of a key file that is not there yet, in a folder that goes with the test. */
export function keyFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "root.key");
}
