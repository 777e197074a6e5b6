import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVER_FLAGS, SERVER_VARIABLES } from "../../../tools/with-setup.mjs";
import type { Premises } from "../measure/premises.ts";
import { openConnection, readJson, requestText } from "./http-connection.ts";
import { organization } from "./population.ts";

/** A real server in a process of its own, on an embedded database in a fresh folder, with its first administrator. */
export interface ServerUnderTest {
  readonly port: number;
  readonly pid: number;
  readonly postmasterPid: number;
  readonly token: string;
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

const root = resolve(import.meta.dirname, "..", "..", "..");

export async function startServer(
  premises: Premises,
  profileFolder: string | undefined,
): Promise<ServerUnderTest> {
  const folder = premises.folder();
  const data = join(folder, "data");
  if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
  const profile =
    profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${resolve(profileFolder)}`];
  const flags = { data, listen: "127.0.0.1:0", "agent-listen": "127.0.0.1:0", "log-level": "warn" };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const main = join(root, "apps/server/main.js");
  // Compiled once before, as the set-up of `npm start` does: compiling takes memory that is not given back.
  execFileSync(process.execPath, [main, "--version"], { stdio: "ignore" });
  const child = spawn(process.execPath, [...SERVER_FLAGS, ...profile, main, ...args], {
    cwd: folder,
    env: { ...process.env, ...SERVER_VARIABLES },
    stdio: ["ignore", "pipe", "inherit"],
  });
  premises.lastly(() => {
    child.kill("SIGKILL");
    endPostgres();
  });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  let postmasterPid: number | undefined;

  /** The database outlives a killed server on purpose, but not us. */
  function endPostgres(): void {
    const pid = postmaster(data)?.pid ?? postmasterPid;
    if (pid !== undefined && isPostgres(pid)) process.kill(pid, "SIGQUIT");
  }
  async function end(): Promise<void> {
    child.kill("SIGTERM");
    await Promise.race([exited, sleep(20_000, undefined, { ref: false })]);
    child.kill("SIGKILL");
    endPostgres();
  }
  const stop = premises.ending(end);

  const setupToken = await untilReady(child.stdout, exited);
  const found = postmaster(data);
  if (found === undefined) throw new Error("the server runs, but its embedded Postgres was not found");
  postmasterPid = found.pid;
  const token = await setUp(setupToken);
  return {
    ...setupToken,
    token,
    pid: child.pid as number,
    postmasterPid: found.pid,
    databaseUrl: found.url,
    stop,
  };
}

export interface Ready {
  readonly port: number;
  readonly secret: string;
}

export async function untilReady(stdout: NodeJS.ReadableStream, exited: Promise<void>): Promise<Ready> {
  const ready = new Promise<Ready>((done) => {
    createInterface(stdout).on("line", (line) => {
      const [, port, secret] = /:(\d+)\/setup#(\S+?)'?\)?$/.exec(line) ?? [];
      if (port !== undefined && secret !== undefined) done({ port: Number(port), secret });
    });
  });
  const failed = exited.then(() => {
    throw new Error("the server ended before it was ready; its reason is above");
  });
  const late = sleep(90_000, undefined, { ref: false }).then(() => {
    throw new Error("the server was not ready after 90 s");
  });
  return Promise.race([ready, failed, late]);
}

export async function setUp({ port, secret }: Ready): Promise<string> {
  const connection = await openConnection(port);
  const body = {
    token: secret,
    user: "bench",
    password: "as fast as it is honest",
    organization,
    carry: "bearer",
  };
  const answer = await connection.send(requestText({ method: "POST", path: "/api/v1/setup", body }));
  connection.close();
  return (readJson(answer) as { token: string }).token;
}

/** Postgres writes down its own pid and socket. */
function postmaster(data: string): { pid: number; url: string } | undefined {
  const file = join(data, "postgres", "postmaster.pid");
  if (!existsSync(file)) return undefined;
  const [pid, , , , socket] = readFileSync(realpathSync(file), "utf8").split("\n");
  return { pid: Number(pid), url: `postgres://reeve@/postgres?host=${encodeURIComponent(socket ?? "")}` };
}

export function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("postgres");
  } catch {
    return false;
  }
}
