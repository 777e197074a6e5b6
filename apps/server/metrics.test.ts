import { newUid } from "@reeve/model";
import { step } from "@reeve/runs/testing";
import { expect, test } from "vitest";
import { testServer } from "./testing.ts";
import { openTestLog } from "./testing-logs.ts";
import { openRunWorld } from "./testing-runs.ts";

test("figures tell what waits for an agent and for how long, what agents have, and how agents are", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  const figure = async (name: string) => {
    const { body } = await server.call("GET", "/metrics", { token: null });
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]);
  };
  const id = await world.begin({ steps: [step("a"), step("b"), step("c")] });
  await server.database.query(
    "update step set ready_at = now() - interval '1 hour' where run = $1 and seq = 1",
    [id],
  );
  await expect.poll(() => figure("reeve_steps_ready")).toBe(3);
  expect(await figure("reeve_step_ready_oldest_seconds")).toBeGreaterThanOrEqual(3600);
  expect(await figure("reeve_runs_open")).toBe(1);
  expect(await figure('reeve_agents\\{state="connected"\\}')).toBe(0);

  await world.agent(() => "never", { slots: 2 });
  await expect.poll(() => figure("reeve_steps_held")).toBe(2);
  await expect.poll(() => figure("reeve_steps_ready")).toBe(1);
  expect(await figure('reeve_agents\\{state="connected"\\}')).toBe(1);

  const seen = [newUid(), newUid(), newUid()].map((uid, at) => [uid, ["running", "running", "degraded"][at]]);
  for (const [uid, state] of seen)
    await server.database.query("insert into kept (resource_uid, agent_uid, seen) values ($1, $1, $2)", [
      uid,
      JSON.stringify({ state }),
    ]);
  await expect.poll(() => figure('reeve_instances\\{state="running"\\}')).toBe(2);
  await expect.poll(() => figure('reeve_instances\\{state="degraded"\\}')).toBe(1);

  // It belongs to an agent that was lost.
  await (await openTestLog(server.database)).loseAgent();
  await expect.poll(() => figure('reeve_agents\\{state="lost"\\}')).toBe(1);
});
