import { chmodSync } from "node:fs";
import { join } from "node:path";
import { processMs } from "../measure/cpu.ts";
import { startGenerator } from "../measure/generator.ts";
import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import { atLeast, type Figure, figure } from "./figures.ts";
import { writeLogFile } from "./log-file.ts";
import type { Site } from "./site.ts";

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const perSecond = (value: number) => `${value.toFixed(1)} MB/s`;

/** One step that writes as fast as it can, to the store and to somebody who follows at once. Every byte is checked. */
export async function measureLogs(site: Site): Promise<Figure[]> {
  const installation = await site.installation();
  const { replica, api } = installation;
  const file = writeLogFile(join(site.premises.folder(), "log"), site.quick ? 50 : 300);
  chmodSync(file.path, 0o644);
  const follower = await startGenerator(site.premises, "tail", { port: replica.port, token: api.token });
  const agent = await site.agent();
  const cpu = installation.countCpu({
    agent: () => processMs(agent.pid),
    tail: () => processMs(follower.pid),
  });
  const beganAt = performance.now();
  const run = await installation.trigger("log", { file: file.path });
  const seen = await follower.window({
    path: `/api/v1/runs/${run}/steps/0/logs?follow=true&stream=stdout`,
  });
  await installation.endedAt(run);
  const shares = cpu();
  const megabytesPerMs = seen.bytes / 1e6 / (performance.now() - beganAt);
  const costs = ["server", "postgres", "agent", "tail"].map((name) => (shares[name] ?? 0) / megabytesPerMs);
  await follower.end();
  const rate = seen.bytes / 1e6 / seen.seconds;
  const whole_ = seen.bytes === file.bytes && seen.sha256 === file.sha256;
  say(`logs: ${perSecond(rate)}, ${whole(seen.bytes)} bytes, ${whole_ ? "hash equal" : "HASH DIFFERS"}`);
  return [
    figure("one agent to store and tail", rate, perSecond, {
      bar: atLeast(rate, 30, "MB/s"),
      detail: { seen, file, cpu: shares },
    }),
    // True also on a machine that does other things.
    figure("  CPU of a MB, ms: server/db/agent/tail", sum(costs), () => costs.map(Math.round).join("/"), {
      detail: costs,
    }),
    figure("bytes missing or wrong", whole_ ? 0 : Math.abs(file.bytes - seen.bytes) || 1, whole, {
      bar: { text: "0", met: whole_ && seen.gaps === 0 },
    }),
  ];
}
