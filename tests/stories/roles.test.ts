import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../core/store/testing.ts";
import { agentProcess, joinToken } from "../harness/agent-process.ts";
import { openBench } from "../harness/bench.ts";
import { freePort } from "../harness/replicas.ts";
import { startServer } from "../harness/server-process.ts";
import { shopOf } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** Two surfaces: people's process and agents' process, each with its own port and nothing of the other's. */
test("people on one process, agents and work on another: runs, logs and their steering cross between them", async () => {
  const bench = openBench(onTestFinished);
  const { url: databaseUrl } = await testDatabase();
  const [port, agentPort, unusedPort] = [await freePort(), await freePort(), await freePort()];
  const common = { REEVE_DATABASE_URL: databaseUrl };
  const front = await startServer(bench, {
    settings: {
      ...common,
      REEVE_REPLICA: "front",
      REEVE_ROLES: "api",
      REEVE_LISTEN: `127.0.0.1:${port}`,
      REEVE_AGENT_LISTEN: `127.0.0.1:${unusedPort}`,
    },
  });
  const back = await startServer(bench, {
    settings: {
      ...common,
      REEVE_REPLICA: "back",
      REEVE_ROLES: "agents,work",
      REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}`,
    },
  });
  expect(back.stdout()).not.toMatch(/ready at/);
  expect(await answersAgents(front.url)).toBe(false);

  const shop = await shopOf(bench, front);
  const agent = agentProcess(bench, { name: "far", urls: [`https://127.0.0.1:${agentPort}`] });
  await agent.join(await joinToken(shop.api, "far"));
  agent.start();
  await shop.workflow("hello", { steps: [{ name: "greet", run: "echo hello from the other side" }] });
  const followed = await shop.done(["run", "hello", "--follow"]);
  expect(followed).toMatch(/greet {2}succeeded/);
  const [run] = (await shop.done(["runs", "hello", "-o", "name"])).trim().split("\n");
  expect(await shop.done(["logs", (run ?? "").split("/").at(-1) ?? "", "-f"])).toContain(
    "hello from the other side",
  );

  await shop.workflow("long", { steps: [{ name: "sleep", run: "echo asleep; sleep 600" }] });
  const id = await shop.begin("long");
  const tail = shop.reeve.start(["logs", id, "-f"]);
  await until("its output on the people's side", () => tail.stdout().includes("asleep"));
  // People's process goes and comes back; the work does not notice.
  await front.crash();
  await startServer(bench, {
    data: front.data,
    settings: { ...common, REEVE_REPLICA: "front", REEVE_ROLES: "api", REEVE_LISTEN: `127.0.0.1:${port}` },
  });
  expect(await shop.run(id)).toMatchObject({ state: "running", steps: { sleep: { attempt: 1 } } });
  await shop.done(["cancel", id.slice(-8)]);
  expect((await shop.ended(id)).state).toBe("cancelled");
});

/** Does anybody on the people's port speak the agents' protocol? */
async function answersAgents(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/reeve.v1.AgentService/Enrol`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  return answer.status !== 404;
}
