import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVER_FLAGS, SERVER_VARIABLES } from "../../../tools/with-setup.mjs";
import { bareEnvironment, root } from "../../harness/processes.ts";
import { freePort } from "../../harness/replicas.ts";
import type { Site } from "./site.ts";

/** A server process on a given database. */
export interface Replica {
  readonly pid: number;
  readonly port: number;
  readonly agentPort: number;
  /** Of the first one on a database: what its administrator is made with. */
  readonly setupSecret: string | undefined;
  end(): Promise<void>;
}

export interface ReplicaOptions {
  readonly name: string;
  readonly databaseUrl: string;
  /** All when left out. */
  readonly roles?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

const main = join(root, "apps", "server", "main.js");
/** Replicas on one database need one root key, whatever their folders. */
const rootKey = Buffer.alloc(32, "root key of benchmarks").toString("base64");
const readyMs = 60_000;

export async function startReplica(site: Site, options: ReplicaOptions): Promise<Replica> {
  const { premises, profileFolder } = site;
  const [port, agentPort] = [await freePort(), await freePort()];
  if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
  const profile =
    profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${resolve(profileFolder)}`];
  const child = spawn(process.execPath, [...SERVER_FLAGS, ...profile, main], {
    cwd: premises.folder(),
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...bareEnvironment,
      ...SERVER_VARIABLES,
      REEVE_DATA: join(premises.folder(), "data"),
      REEVE_DATABASE_URL: options.databaseUrl,
      REEVE_REPLICA: options.name,
      REEVE_ROOT_KEY: rootKey,
      REEVE_LISTEN: `127.0.0.1:${port}`,
      REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}`,
      REEVE_LOG_LEVEL: "warn",
      REEVE_HOME_AGENT: "off",
      // Thousands of agents join from one address, once.
      REEVE_ANONYMOUS_PER_MINUTE: "1000000",
      ...(options.roles === undefined ? {} : { REEVE_ROLES: options.roles }),
      ...options.settings,
    },
  });
  premises.lastly(() => child.kill("SIGKILL"));
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const end = premises.ending(async () => {
    child.kill("SIGTERM");
    await Promise.race([exited, sleep(20_000, undefined, { ref: false })]);
    child.kill("SIGKILL");
  });
  const setupSecret = await untilReady(child.stdout, exited);
  return { pid: child.pid as number, port, agentPort, setupSecret, end };
}

/** The setup link is printed with the line that says it is ready. */
async function untilReady(stdout: NodeJS.ReadableStream, exited: Promise<void>): Promise<string | undefined> {
  let secret: string | undefined;
  const ready = new Promise<void>((done) => {
    createInterface(stdout).on("line", (line) => {
      secret ??= /\/setup#(\S+?)'?\)?$/.exec(line)?.[1];
      if (line.startsWith("Reeve is ready")) setTimeout(done, 200);
    });
  });
  const failed = exited.then(() => {
    throw new Error("the server ended before it was ready; its reason is above");
  });
  const late = sleep(readyMs, undefined, { ref: false }).then(() => {
    throw new Error(`the server was not ready after ${readyMs / 1000} s`);
  });
  await Promise.race([ready, failed, late]);
  return secret;
}
