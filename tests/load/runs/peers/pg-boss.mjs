import { PgBoss } from "pg-boss";
import { answer, startDelays, throughput } from "./answer.mjs";

/** As its documentation advises for throughput: inserts in bulk, full batches fetched without a pause; notify for latency. */
const batch = 1000;

answer(async (connectionString) => {
  const boss = new PgBoss({ connectionString, useListenNotify: true, supervise: false, schedule: false });
  boss.on("error", (error) => process.stderr.write(`pg-boss: ${error}\n`));
  await boss.start();
  await boss.createQueue("many");
  await boss.createQueue("light", { notify: true });
  let onJobs = () => {};
  let onStart = () => {};
  const many = {
    batchSize: batch,
    localConcurrency: 2,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
  };
  await boss.work("many", many, async (jobs) => onJobs(jobs.length));
  await boss.work("light", { localConcurrency: 2 }, async () => onStart());
  return {
    jobs: ({ count }) =>
      throughput(connectionString, {
        count,
        unfinished: "select 1 from pgboss.job where name = 'many' and state < 'completed' limit 1",
        async send(ran) {
          onJobs = ran;
          for (let at = 0; at < count; at += batch)
            await boss.insert(
              "many",
              Array.from({ length: Math.min(batch, count - at) }, () => ({ data: {} })),
            );
        },
      }),
    starts: (input) =>
      startDelays(async (began) => {
        onStart = began;
        await boss.send("light", {});
      }, input),
  };
});
