import { setTimeout as sleep } from "node:timers/promises";
import { countCpu, familyMs, processMs } from "../measure/cpu.ts";
import { startGenerator } from "../measure/generator.ts";
import { memoryOf } from "../measure/memory.ts";
import type { Premises } from "../measure/premises.ts";
import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import { cores, type Figure, figure, megabytes, under } from "../runs/figures.ts";
import { type Installation, startInstallation } from "../runs/installation.ts";
import { joinToken } from "../runs/join.ts";
import { startPostgres } from "../runs/postgres.ts";
import { openSite } from "../runs/site.ts";

const containers = 20;
const processes = 2;
const settleMs = 20_000;

/** A thousand agents with twenty containers each, on one replica: a beat every 5 s, and what everything uses every 15 s. */
export async function measureReports(premises: Premises, quick: boolean): Promise<Figure[]> {
  const postgres = await startPostgres(premises);
  const site = openSite({ premises, quick, profileFolder: undefined, postgres });
  const installation = await startInstallation(site, "reports");
  const { replica } = installation;
  const count = quick ? 200 : 1000;
  const seconds = quick ? 45 : 180;
  const token = await joinToken(installation.api, "simulated", count);
  const url = `https://127.0.0.1:${replica.agentPort}`;
  say(`${count} agents join`);
  const generators = await Promise.all(
    Array.from({ length: processes }, () =>
      startGenerator(premises, "agents", { url, token, count: count / processes, containers }),
    ),
  );
  await Promise.all(generators.map((one) => one.window({ do: "connect" })));
  await sleep(settleMs);
  const cpu = countCpu({ replica: () => processMs(replica.pid), postgres: () => familyMs(postgres.pid) });
  const before = await writtenRows(installation);
  const seen = await Promise.all(generators.map((one) => one.window({ do: "hold", seconds })));
  const after = await writtenRows(installation);
  const shares = cpu();
  const [used, { residentMb }] = [shares.replica ?? 0, memoryOf(replica.pid)];
  const lost = seen.reduce((sum, one) => sum + one.lost, 0);
  const rate = (table: string) => ((after.get(table) ?? 0) - (before.get(table) ?? 0)) / seconds;
  const tables = [...after.keys()].filter((table) => rate(table) >= 1);
  return [
    figure(`agents of ${containers} containers, for ${seconds} s`, count, whole),
    figure("replica's CPU, in cores", used, cores, { bar: under(used, 1), detail: shares }),
    figure("replica's memory", residentMb, megabytes, { bar: under(residentMb, 1500, "MB") }),
    figure("Postgres' CPU, in cores", shares.postgres ?? 0, cores),
    figure("links lost", lost, whole, { bar: { text: "0", met: lost === 0 } }),
    ...tables.map((table) => figure(`rows of ${table} written, a second`, rate(table), whole)),
  ];
}

async function writtenRows({ query }: Installation): Promise<Map<string, number>> {
  // Figures of a session that is at work reach others with a delay of up to a second.
  await sleep(2000);
  const rows = await query<{ table: string; rows: string }>(
    `select relname as table, n_tup_ins + n_tup_upd + n_tup_del as rows from pg_stat_user_tables`,
  );
  return new Map(rows.map(({ table, rows: count }) => [table, Number(count)]));
}
