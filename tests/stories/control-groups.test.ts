import { afterAll, describe, expect, onTestFailed, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { joinToken } from "../harness/agent-process.ts";
import { openBench } from "../harness/bench.ts";
import { hostAddress, type MachineFile, startMachine } from "../harness/machine.ts";
import { openShop, type Shop } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** A machine whose every instruction is emulated takes a while for what others do at once. */
const patienceMs = 240_000;
const bench = openBench(afterAll);

/** Control groups of version 2, as every current distribution has them; the machine that runs the tests may have version 1. */
describe("a host whose kernel has control groups of version 2", needs("machine"), () => {
  test(
    "keeps what a step may use of memory and processors, and leaves nothing of it behind",
    async () => {
      const shop = await openShop(bench);
      const { files, port } = await agentFor(shop);
      const token = await joinToken(shop.api, "apart");
      const agent = "node --max-semi-space-size=4 /agent/reeve-agent.mjs";
      const machine = await startMachine(
        bench,
        files,
        `${agent} join https://${hostAddress}:${port} --token ${token} --name apart --label place=apart --data /data
${agent} run --data /data`,
      );
      onTestFailed(() => console.error(machine.stdout(), machine.stderr()));
      const list = () => shop.done(["agent", "list", "--scope", ""]);
      await until("the machine to connect", async () => /^apart\s+connected/m.test(await list()), patienceMs);

      const on = { selector: "place=apart", mayFail: true };
      await shop.workflow("limited", {
        steps: [
          {
            ...{ ...on, name: "greedy", needs: [], with: { memory: "32MB" } },
            run: "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo done",
          },
          {
            ...{ ...on, name: "busy", needs: [], with: { cpus: 0.2 } },
            run: "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; cd /sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup); cat cpu.max cpu.stat",
          },
          {
            ...{ ...on, name: "leaving", needs: [], with: { memory: "64MB", cpus: 1 } },
            run: "setsid sleep 3000 & echo $! >/left; sleep 0.1",
          },
          {
            ...{ ...on, name: "after", needs: ["greedy", "busy", "leaving"], rule: "all-done" },
            run: "kill -0 $(cat /left) 2>/dev/null || echo no process; ls -d /sys/fs/cgroup/reeve-agent-*/*/ 2>/dev/null || echo no group; cat /proc/self/cgroup",
          },
        ],
      });
      const run = await shop.ended(await shop.begin("limited"), patienceMs);
      expect(run.steps).toMatchObject({
        greedy: { state: "failed", why: "ran out of memory: its limit is 32 MB" },
        busy: { state: "succeeded" },
        leaving: { state: "succeeded" },
        after: { state: "succeeded" },
      });
      const said = (step: string) => shop.done(["logs", run.id, step, "-f"]);
      const busy = await said("busy");
      expect(busy).toContain("20000 100000");
      expect(Number(/nr_throttled (\d+)/.exec(busy)?.[1])).toBeGreaterThan(0);
      // What the others left has gone with them, and a step without limits has no group of its own.
      expect(await said("after")).toBe("no process\nno group\n0::/\n");
    },
    3 * patienceMs,
  );
});

/** What `install.sh` puts on a host, and where it tells the agent to go. */
async function agentFor({ server }: Shop): Promise<{ files: MachineFile[]; port: string }> {
  const get = async (path: string) =>
    Buffer.from(await (await fetch(`${server.url}/agent/${path}`)).arrayBuffer());
  const installer = (await get("install.sh")).toString();
  const names = [...installer.matchAll(/^[0-9a-f]{64} {2}(\S+\.(?:mjs|sh))$/gm)].map(
    ([, name]) => name ?? "",
  );
  const files = names.map(async (name) => ({ path: `agent/${name}`, content: await get(`files/${name}`) }));
  return { files: await Promise.all(files), port: /^url='https:.*:(\d+)'$/m.exec(installer)?.[1] ?? "" };
}
