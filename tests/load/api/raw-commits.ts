import pg from "pg";
import type { Load } from "../measure/generator.ts";

/** What the database itself can do: one row, one commit, as often as it goes. The yardstick for applies. */
export const rawCommits: Load<
  { url: string; connections: number },
  { seconds: number },
  { perSecond: number }
> = async ({ url, connections }) => {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString: url, application_name: "reeve-bench" });
      await client.connect();
      return client;
    }),
  );
  await clients[0]?.query(
    "create table if not exists bench_raw (id bigint generated always as identity primary key, body text not null)",
  );
  const insert = { name: "raw", text: "insert into bench_raw (body) values ($1)", values: ["x".repeat(100)] };
  return async ({ seconds }) => {
    const startedAt = performance.now();
    const until = startedAt + seconds * 1000;
    let count = 0;
    await Promise.all(
      clients.map(async (client) => {
        while (performance.now() < until) {
          await client.query(insert);
          count++;
        }
      }),
    );
    return { perSecond: count / ((performance.now() - startedAt) / 1000) };
  };
};
