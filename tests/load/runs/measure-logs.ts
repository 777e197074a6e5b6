import { chmodSync } from "node:fs";
import { join } from "node:path";
import { startGenerator } from "../measure/generator.ts";
import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import { atLeast, type Figure, figure } from "./figures.ts";
import { writeLogFile } from "./log-file.ts";
import type { Site } from "./site.ts";

const perSecond = (value: number) => `${value.toFixed(1)} MB/s`;

/** One step that writes as fast as it can, to the store and to somebody who follows at once. Every byte is checked. */
export async function measureLogs(site: Site): Promise<Figure[]> {
  const installation = await site.installation();
  const { replica, api } = installation;
  const file = writeLogFile(join(site.premises.folder(), "log"), site.quick ? 50 : 300);
  chmodSync(file.path, 0o644);
  const follower = await startGenerator(site.premises, "tail", { port: replica.port, token: api.token });
  const cpu = installation.countCpu({});
  const run = await installation.trigger("log", { file: file.path });
  const seen = await follower.window({
    path: `/api/v1/runs/${run}/steps/0/logs?follow=true&stream=stdout`,
  });
  await installation.endedAt(run);
  await follower.end();
  const rate = seen.bytes / 1e6 / seen.seconds;
  const whole_ = seen.bytes === file.bytes && seen.sha256 === file.sha256;
  say(`logs: ${perSecond(rate)}, ${whole(seen.bytes)} bytes, ${whole_ ? "hash equal" : "HASH DIFFERS"}`);
  return [
    figure("one agent to store and tail", rate, perSecond, {
      bar: atLeast(rate, 30, "MB/s"),
      detail: { seen, file, cpu: cpu() },
    }),
    figure("bytes missing or wrong", whole_ ? 0 : Math.abs(file.bytes - seen.bytes) || 1, whole, {
      bar: { text: "0", met: whole_ && seen.gaps === 0 },
    }),
  ];
}
