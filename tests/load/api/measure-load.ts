import type { CpuShares } from "../measure/cpu.ts";
import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import { openConnection, readJson, requestText } from "./http-connection.ts";
import { account, type Manifest, projects } from "./population.ts";
import { checkpoint } from "./postgres-facts.ts";
import type { Stage } from "./stages.ts";

export interface LoadFigures {
  readonly perSecond: number;
  readonly cpu: CpuShares;
}

const atOnce = 1000;
const connections = 4;

/**
 * Fills the installation by the API's bulk apply. Nobody runs ANALYZE afterwards; a checkpoint writes out what the load left in
 * memory, which would else reach the disk during the measurements that follow.
 */
export async function loadPopulation({
  port,
  token,
  size,
  countCpu,
  databaseUrl,
}: Stage): Promise<LoadFigures> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const apply = async (connection: (typeof open)[number], resources: readonly Manifest[]) => {
    const answer = await connection.send(
      requestText({ method: "POST", path: "/api/v1/apply", token, body: { resources } }),
    );
    const { results } = readJson(answer) as { results: { outcome?: string }[] };
    const failed = results.find((result) => result.outcome !== "created");
    if (failed !== undefined)
      throw new Error(`the bulk load failed: ${JSON.stringify(failed).slice(0, 500)}`);
  };
  await apply(open[0] as (typeof open)[number], projects());
  const cpu = countCpu([process]);
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (next < size) {
        const from = next;
        next = Math.min(size, from + atOnce);
        await apply(
          connection,
          Array.from({ length: next - from }, (_, offset) => account(from + offset)),
        );
      }
    }),
  );
  const perSecond = size / ((performance.now() - startedAt) / 1000);
  for (const connection of open) connection.close();
  say(`${whole(size)} resources: loaded ${whole(perSecond)} a second`);
  const figures = { perSecond, cpu: cpu() };
  await checkpoint(databaseUrl);
  return figures;
}
