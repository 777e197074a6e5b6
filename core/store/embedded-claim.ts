import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

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
