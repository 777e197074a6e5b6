import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";

const workflows = "/organizations/acme/workflows";
const steps = [{ name: "hello", run: "echo hello" }];

function put(server: TestServer, name: string, spec: object, metadata: object = {}) {
  return server.call("PUT", `${workflows}/${name}`, {
    body: {
      apiVersion: "reeve/v1",
      kind: "Workflow",
      metadata: { scope: "acme", name, ...metadata },
      spec: { steps, ...spec },
    },
  });
}

interface Begun {
  readonly schedule: string;
  readonly tick: string;
  readonly run: string;
  readonly late: number;
}

/** Ticks with the runs that stand for them, and how many ms after the tick each run was written. */
function begun({ database }: TestServer): Promise<Begun[]> {
  return database.query<Begun>(
    `select t.schedule, t.tick, t.run, (extract(epoch from r.created_at - t.tick) * 1000)::float8 as late
     from schedule_tick t join run r on r.id = t.run and r.scheduled_at = t.tick and r.cause = 'schedule' order by t.schedule, t.tick`,
  );
}

async function until<T>(look: () => Promise<T>, good: (seen: T) => boolean, forMs = 20_000): Promise<T> {
  const deadline = Date.now() + forMs;
  for (;;) {
    const seen = await look();
    if (good(seen) || Date.now() > deadline) return seen;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("three replicas fire every tick of every schedule once, and in time", async () => {
  const server = await testServer();
  await testServer({ share: server });
  await testServer({ share: server });
  const second = (name: string) => ({ name, cron: "* * * * * *" });
  await put(server, "one", { schedules: [second("a"), second("b")] });
  await put(server, "two", { schedules: [second("c")] });
  const seen = await until(
    () => begun(server),
    (all) => all.length >= 15,
  );
  for (const name of ["a", "b", "c"]) {
    const ticks = seen.filter((one) => one.schedule === name).map((one) => Date.parse(one.tick));
    expect(ticks.length).toBeGreaterThan(3);
    for (const [at, tick] of ticks.slice(1).entries()) expect(tick - (ticks[at] as number)).toBe(1000);
  }
  // No run without its tick, and none twice.
  const [{ count }] = (await server.database.query<{ count: number }>(
    "select count(*) as count from run where not exists (select 1 from schedule_tick t where t.run = run.id)",
  )) as [{ count: number }];
  expect(count).toBe(0);
});
