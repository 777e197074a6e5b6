import pg from "pg";

/** The process of a peer: does what the benchmark asks, one question at a time, and ends with it. */
export function answer(open) {
  const opened = open(process.env.DATABASE_URL);
  process.on("message", ({ ask, input }) => {
    opened
      .then((peer) => peer[ask](input))
      .then(
        (result) => process.send({ result }),
        (error) => process.send({ problem: error?.stack ?? String(error) }),
      );
  });
  process.on("disconnect", () => process.exit());
  // Ctrl-C reaches the whole group; the benchmark decides when we end.
  process.on("SIGINT", () => {});
}

/**
 * Jobs a second, from the first send until the database says that none is left. `send` is given how many bodies have to
 * run and what each of them is to call; `unfinished` asks for one that is not recorded as done.
 */
export async function throughput(url, { count, send, unfinished }) {
  const { promise: ran, resolve } = Promise.withResolvers();
  let left = count;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const startedAt = performance.now();
  await send((by = 1) => {
    left -= by;
    if (left <= 0) resolve();
  });
  await ran;
  while ((await client.query(unfinished)).rows.length > 0) await new Promise((again) => setTimeout(again, 5));
  const seconds = (performance.now() - startedAt) / 1000;
  await client.end();
  return count / seconds;
}

/**
 * One job at a time with a pause after each: how long from the acknowledged send until its body began, in ms. `send` gets
 * what the body is to call. A body that began before its sender was answered waited for nothing.
 */
export async function startDelays(send, { count, pauseMs }) {
  const delays = [];
  for (let turn = 0; turn < count; turn++) {
    const { promise, resolve } = Promise.withResolvers();
    await send(() => resolve(performance.now()));
    const answeredAt = performance.now();
    delays.push(Math.max(0, (await promise) - answeredAt));
    await new Promise((done) => setTimeout(done, pauseMs));
  }
  return delays;
}

/** `work` once for each number below `count`, so many at a time. */
export async function atOnce(lanes, count, work) {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
