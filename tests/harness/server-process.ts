import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Api, openApi } from "./api.ts";
import type { Bench } from "./bench.ts";
import { bareEnvironment, type Ended, endPid, type Running, root, run, signalPid } from "./processes.ts";
import { until } from "./until.ts";

export interface ServerOptions {
  /** The data folder; one of its own when left out. */
  readonly data?: string;
  /** Settings by their variables; REEVE_LISTEN is any free port unless given. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
}

/** A server as a person would start it: `node apps/server/main.js`. */
export interface ServerProcess extends Running {
  readonly url: string;
  /** The whole link, if it printed one. */
  readonly setupLink: string | undefined;
  readonly data: string;
  /** SIGTERM, and how it ended. */
  stop(): Promise<Ended>;
  /** kill -9 of the server alone. */
  crash(): Promise<void>;
  api(token?: string): Api;
  files(): number;
}

const main = join(root, "apps", "server", "main.js");
/** Replicas on one database need one root key, whatever their folders; an embedded database has its own in its folder. */
const sharedRootKey = Buffer.alloc(32, "root key of tests").toString("base64");
/** A second or two, unless many others want the processors. */
const readyMs = 150_000;

/** Starts it and waits for its ready line; whatever else it does is an error with all it said. */
export async function startServer(bench: Bench, options: ServerOptions = {}): Promise<ServerProcess> {
  const { running, data } = launchServer(bench, options);
  const isReady = () => /^Reeve is ready(?: at (\S+)|, as .* only)$/m.exec(running.stdout());
  await until("the server's ready line", () => isReady() !== null || running.hasEnded(), readyMs);
  const ready = isReady();
  if (ready === null) throw new Error(`the server did not start: ${running.stdout()}${running.stderr()}`);
  const url = ready[1] ?? "";
  return {
    ...running,
    url,
    data,
    get setupLink() {
      return /^ {2}(\S+\/setup#\S+)$/m.exec(running.stdout())?.[1];
    },
    stop() {
      running.kill("SIGTERM");
      return running.ended;
    },
    async crash() {
      running.kill("SIGKILL");
      await running.ended;
    },
    api: (token) => openApi(url, token),
    files: () => readdirSync(`/proc/${running.pid}/fd`).length,
  };
}

/** Starts one that is to refuse: how it ended and what it said. */
export async function refusedServer(
  bench: Bench,
  options: ServerOptions = {},
): Promise<Ended & { stdout: string; stderr: string }> {
  const { running } = launchServer(bench, options);
  await until("the server to end", () => running.hasEnded(), readyMs).catch((error: unknown) => {
    throw new Error(`it did not end: ${running.stdout()}${running.stderr()}`, { cause: error });
  });
  const ended = await running.ended;
  return { ...ended, stdout: running.stdout(), stderr: running.stderr() };
}

/** Starts it and waits for nothing. */
export function launchServer(bench: Bench, options: ServerOptions): { running: Running; data: string } {
  const cwd = options.cwd ?? bench.folder();
  const data = options.data ?? join(cwd, "data");
  const settings = options.settings ?? {};
  const env = {
    ...bareEnvironment,
    REEVE_DATA: data,
    REEVE_LISTEN: "127.0.0.1:0",
    REEVE_AGENT_LISTEN: "127.0.0.1:0",
    REEVE_LOG_LEVEL: "warn",
    // Tests that run steps ask for it, or join agents of their own.
    REEVE_HOME_AGENT: "off",
    ...(settings.REEVE_DATABASE_URL && !settings.REEVE_ROOT_KEY_FILE && { REEVE_ROOT_KEY: sharedRootKey }),
    ...settings,
  };
  const running = run(process.execPath, [main, ...(options.args ?? [])], { cwd, env });
  bench.keep({
    killNow() {
      running.kill("SIGKILL");
      const postgres = embeddedPid(data);
      if (postgres !== undefined) signalPid(postgres, "SIGKILL");
    },
    async end() {
      if (!running.hasEnded()) running.kill("SIGKILL");
      await running.ended;
      await removeEmbedded(data);
    },
  });
  return { running, data };
}

/** The embedded Postgres of a data folder: it outlives a killed server on purpose. */
export function embeddedPid(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("postgres") ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Asks it something behind the server's back, for what only time would bring about. */
export async function askEmbedded(data: string, text: string): Promise<void> {
  const [, , , port, socket] = readFileSync(join(data, "postgres", "postmaster.pid"), "utf8").split("\n");
  const client = new pg.Client({ user: "reeve", database: "postgres", host: socket, port: Number(port) });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

async function removeEmbedded(data: string): Promise<void> {
  const pid = embeddedPid(data);
  if (pid !== undefined) await endPid(pid, "SIGQUIT");
  const files = join(data, "postgres");
  // Below a folder closed to others it is a link to where Postgres can work.
  if (existsSync(files)) rmSync(realpathSync(files), { recursive: true, force: true });
}
