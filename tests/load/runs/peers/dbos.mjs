import { DBOS } from "@dbos-inc/dbos-sdk";
import { answer, atOnce, startDelays, throughput } from "./answer.mjs";

/** More connections than the 10 it comes with, and queues that are asked more often than once a second. */
const poolSize = 20;

answer(async (url) => {
  // It wants a host in its place; the socket's folder that follows is the one that counts.
  const systemDatabaseUrl = url.replace("@/", "@localhost/");
  let onStart = () => {};
  const noop = DBOS.registerWorkflow(async () => void onStart(), { name: "noop" });
  const chain = DBOS.registerWorkflow(
    async (steps) => {
      for (let step = 0; step < steps; step++) await DBOS.runStep(async () => step, { name: `step-${step}` });
    },
    { name: "chain" },
  );
  DBOS.setConfig({ name: "bench", systemDatabaseUrl, systemDatabasePoolSize: poolSize, logLevel: "error" });
  await DBOS.launch();
  await DBOS.registerQueue("many", { minPollingIntervalMs: 100 });
  await DBOS.registerQueue("light", { minPollingIntervalMs: 10 });
  return {
    jobs: ({ count }) =>
      throughput(systemDatabaseUrl, {
        count,
        unfinished: "select 1 from dbos.workflow_status where status in ('ENQUEUED', 'PENDING') limit 1",
        async send(ran) {
          onStart = ran;
          await atOnce(2 * poolSize, count, () => DBOS.startWorkflow(noop, { queueName: "many" })());
        },
      }),
    starts: (input) =>
      startDelays(async (began) => {
        onStart = began;
        await DBOS.startWorkflow(noop, { queueName: "light" })();
      }, input),
    /** In this process, with the steps' results recorded one by one: milliseconds of each chain. */
    async chains({ count, steps }) {
      const times = [];
      for (let turn = 0; turn < count; turn++) {
        const startedAt = performance.now();
        await chain(steps);
        times.push(performance.now() - startedAt);
      }
      return times;
    },
  };
});
