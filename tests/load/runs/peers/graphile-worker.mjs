import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { answer, startDelays, throughput } from "./answer.mjs";

/** The settings its documentation gives with its own figures (worker.graphile.org/docs/performance). */
const worker = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};
const batch = 1000;

answer(async (connectionString) => {
  let onJob = () => {};
  let onStart = () => {};
  const runner = await run({
    preset: { worker: { ...worker, connectionString } },
    logger: new Logger(() => () => {}),
    taskList: { many: async () => onJob(), light: async () => onStart() },
  });
  const { addJobs } = await makeWorkerUtils({ connectionString });
  return {
    jobs: ({ count }) =>
      throughput(connectionString, {
        count,
        unfinished: "select 1 from graphile_worker._private_jobs limit 1",
        async send(ran) {
          onJob = ran;
          for (let at = 0; at < count; at += batch)
            await addJobs(
              Array.from({ length: Math.min(batch, count - at) }, () => ({
                identifier: "many",
                payload: {},
              })),
            );
        },
      }),
    starts: (input) =>
      startDelays(async (began) => {
        onStart = began;
        await runner.addJob("light", {});
      }, input),
  };
});
