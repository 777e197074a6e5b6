import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { checkVersion, initialise } from "./embedded-folder.ts";
import { environment, programs } from "./embedded-programs.ts";
import { databaseFolder, makeOwned, type UnixUser, unprivilegedUser } from "./embedded-user.ts";

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

/** Fast shutdown: sessions are ended, everything is written, the next start needs no recovery. */
async function stop(folder: string): Promise<void> {
  const pid = livePostmaster(folder);
  if (pid === undefined) return;
  process.kill(pid, "SIGINT");
  for (let waited = 0; waited < 30_000 && livePostmaster(folder) !== undefined; waited += 20) await sleep(20);
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
  closeSync(log);
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

/** A socket's path may have 107 bytes at most, so a deep data folder gets its socket in the temporary folder. */
function socketFolder(folder: string, user: UnixUser | undefined): string {
  if (folder.length < 80) return folder;
  const short = join(tmpdir(), `reeve-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`);
  makeOwned(short, user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });
  return short;
}
