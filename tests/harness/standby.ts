import { chownSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { makeOwned, unprivilegedUser } from "../../core/store/embedded-user.ts";
import type { Bench } from "./bench.ts";
import { type PrivatePostgres, postgresPassword } from "./private-postgres.ts";
import { run } from "./processes.ts";
import { freePort } from "./replicas.ts";
import { until } from "./until.ts";

/** A second Postgres that has what the first one commits before it says so, and can take its place. */
export interface Standby {
  readonly port: number;
  promote(): Promise<void>;
}

const name = "standby";

export async function startStandby(bench: Bench, primary: PrivatePostgres, bin: string): Promise<Standby> {
  const user = unprivilegedUser();
  const folder = bench.folder("reeve-standby-");
  const data = join(folder, "data");
  if (user !== undefined) {
    chownSync(folder, user.uid, user.gid);
    makeOwned(data, user);
  }
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", PGPASSWORD: postgresPassword };
  const as = { cwd: folder, env, ...user };
  const from = `host=127.0.0.1 port=${primary.port} user=reeve application_name=${name}`;
  const copied = run(
    join(bin, "pg_basebackup"),
    ["-d", from, "-D", data, "-R", "-X", "stream", "-c", "fast"],
    as,
  );
  if ((await copied.ended).code !== 0) throw new Error(`pg_basebackup failed: ${copied.stderr()}`);
  const port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: data,
    max_connections: 100,
  };
  const given = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const running = run(join(bin, "postgres"), ["-D", data, ...given], as);
  bench.keep({
    killNow: () => running.kill("SIGKILL"),
    async end() {
      running.kill("SIGQUIT");
      await running.ended;
    },
  });
  const follows = async () =>
    (await primary.query("select 1 from pg_stat_replication where application_name = $1", [name])).length > 0;
  await until("the standby to follow", follows, 60_000).catch((error: unknown) => {
    throw new Error(`the standby does not follow: ${running.stderr()}`, { cause: error });
  });
  // From here on nothing is committed that is not there as well.
  await primary.query(`alter system set synchronous_standby_names = '${name}'`);
  await primary.query("select pg_reload_conf()");
  const isSynchronous = async () =>
    (await primary.query("select 1 from pg_stat_replication where sync_state = 'sync'")).length > 0;
  await until("the standby to be waited for", isSynchronous, 60_000);
  return {
    port,
    async promote() {
      const connectionString = `postgres://reeve:${postgresPassword}@127.0.0.1:${port}/postgres`;
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query("select pg_promote()");
      await client.end();
    },
  };
}
