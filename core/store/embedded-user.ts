import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Postgres refuses to run as root, so root hands it to an unprivileged user. */
export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

/** The user that Postgres runs as, or undefined when we are not root and it simply runs as us. */
export function unprivilegedUser(): UnixUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    const uid = id("-u", name);
    const gid = id("-g", name);
    if (uid !== undefined && gid !== undefined && uid !== 0) return { uid, gid };
  }
  throw new Error(
    "Postgres cannot run as root, and there is no user postgres or nobody to run it as: start Reeve as an ordinary user, or set REEVE_DATABASE_URL",
  );
}

/** Whether the user can reach a path: every folder above it must be open to others. */
function reachable(path: string): boolean {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at))
    if ((statSync(at).mode & 0o001) === 0) return false;
  return true;
}

/** Programs in a folder closed to others (a clone in /root) are copied once to where the user can run them. */
export function reachablePrograms(native: string, version: string): string {
  if (reachable(join(native, "bin"))) return native;
  const copy = `/var/tmp/reeve-postgres-${version}`;
  if (existsSync(copy)) {
    const { uid, mode } = statSync(copy);
    // /var/tmp is everybody's: run nothing from there that somebody else could have put in place.
    if (uid === 0 && (mode & 0o022) === 0) return copy;
    throw new Error(`${copy} does not belong to root alone: remove it and start again`);
  }
  const partial = `${copy}.${process.pid}`;
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  chmodSync(partial, 0o755);
  try {
    renameSync(partial, copy);
  } catch {
    rmSync(partial, { recursive: true, force: true });
  }
  return copy;
}

/**
 * Makes the folder for the database files and returns its true path. Below a folder that the user cannot enter, the
 * files go to /var/lib/reeve and the data folder holds a link to them.
 */
export function databaseFolder(path: string, user: UnixUser | undefined): string {
  if (user === undefined) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o711 });
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() || existsSync(path)) return path;
  if (reachable(path)) {
    makeOwned(path, user);
    return path;
  }
  const elsewhere = join(
    "/var/lib/reeve",
    `${basename(dirname(dirname(path)))}-${process.pid}-${Date.now().toString(36)}`,
  );
  mkdirSync(dirname(elsewhere), { recursive: true, mode: 0o711 });
  makeOwned(elsewhere, user);
  symlinkSync(elsewhere, path);
  return path;
}

export function makeOwned(path: string, user: UnixUser): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chownSync(path, user.uid, user.gid);
}

function id(flag: "-u" | "-g", name: string): number | undefined {
  const found = spawnSync("id", [flag, name], { encoding: "utf8" });
  return found.status === 0 ? Number(found.stdout.trim()) : undefined;
}
