import { setTimeout as sleep } from "node:timers/promises";
import { countCpu, familyMs, processMs } from "../measure/cpu.ts";
import { startGenerator } from "../measure/generator.ts";
import { memoryOf } from "../measure/memory.ts";
import type { Premises } from "../measure/premises.ts";
import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import { apply, organization } from "../runs/api.ts";
import { cores, type Figure, figure, megabytes, under } from "../runs/figures.ts";
import { type Installation, startInstallation } from "../runs/installation.ts";
import { joinToken } from "../runs/join.ts";
import { startPostgres } from "../runs/postgres.ts";
import { openSite } from "../runs/site.ts";
import { containersInService } from "./simulated-services.ts";

const containers = 20;
const processes = 2;
const restMs = 5000;
const settleMost = 60;
/** Of all containers, in each of the 5 s between two beats. */
const changing = [0, 0.01, 0.02];

/**
 * A thousand agents with twenty containers each, on one replica: a beat every 5 s, what everything uses every 15 s, and the state of
 * containers when it changes: of none, of one in a hundred, and of twice as many.
 */
export async function measureReports(premises: Premises, quick: boolean): Promise<Figure[]> {
  const postgres = await startPostgres(premises);
  const site = openSite({ premises, quick, profileFolder: undefined, postgres });
  const installation = await startInstallation(site, "reports");
  const { replica } = installation;
  const count = quick ? 200 : 1000;
  const seconds = quick ? 30 : 120;
  const token = await joinToken(installation.api, "simulated", count);
  const url = `https://127.0.0.1:${replica.agentPort}`;
  say(`${count} agents join`);
  const generators = await Promise.all(
    Array.from({ length: processes }, () =>
      startGenerator(premises, "agents", { url, token, count: count / processes, containers }),
    ),
  );
  await Promise.all(generators.map((one) => one.window({ do: "connect" })));
  const services = await makeServices(installation);
  await Promise.all(generators.map((one) => one.window({ do: "keep", services })));
  await settled(installation);
  const windows: Window[] = [];
  for (const share of changing) {
    say(`${share * 100} % of the containers change every 5 s`);
    const cpu = countCpu({ replica: () => processMs(replica.pid), postgres: () => familyMs(postgres.pid) });
    const before = await writtenRows(installation);
    const seen = await Promise.all(generators.map((one) => one.window({ do: "hold", seconds, share })));
    const after = await writtenRows(installation);
    const { replica: used = 0, postgres: usedThere = 0 } = cpu();
    const rates = [...after].map(([table, rows]) => ({
      table,
      rate: (rows - (before.get(table) ?? 0)) / seconds,
    }));
    windows.push({
      share,
      ...{ used, usedThere, rates },
      changed: sum(seen.map((one) => one.told)) / seconds,
      lost: sum(seen.map((one) => one.lost)),
    });
  }
  return [
    figure(`agents of ${containers} containers, for ${seconds} s each`, count, whole),
    ...windows.flatMap(figuresOf),
    ...proportion(windows),
    ...memoryFigures(memoryOf(replica.pid).residentMb, sum(windows.map(({ lost }) => lost))),
  ];
}

interface Window {
  readonly share: number;
  /** Cores of the replica, and of Postgres. */
  readonly used: number;
  readonly usedThere: number;
  readonly rates: readonly { readonly table: string; readonly rate: number }[];
  /** Services told a second. */
  readonly changed: number;
  readonly lost: number;
}

function figuresOf({ share, used, usedThere, rates, changed }: Window): Figure[] {
  const detail = Object.fromEntries(
    rates.filter(({ rate }) => rate >= 1).map(({ table, rate }) => [table, rate]),
  );
  return [
    figure(`${share * 100} % change: replica's CPU, in cores`, used, cores, { bar: under(used, 1) }),
    figure("  Postgres' CPU, in cores", usedThere, cores),
    figure("  services told as changed, a second", changed, whole),
    figure("  rows written, a second", totalOf(rates), whole, { detail }),
  ];
}

/** What is written beyond what is written at rest, for each service that has changed: the same, however many. */
function proportion([rest, ...busy]: readonly Window[]): Figure[] {
  if (rest === undefined) return [];
  const states = rest.rates.filter(({ table, rate }) => stateTables.includes(table) && rate > 0);
  const atRest = totalOf(states);
  const each = busy.map(({ rates, changed }) => (totalOf(rates) - totalOf(rest.rates)) / changed);
  const ratio = (each.at(-1) ?? 0) / (each[0] ?? 1);
  return [
    figure("rows of states written at rest, a second", atRest, (value) => value.toFixed(1), {
      bar: under(atRest, 1),
      detail: states,
    }),
    ...busy.map(({ share }, at) =>
      figure(`rows for each change, ${share * 100} % change`, each[at] ?? 0, (value) => value.toFixed(1)),
    ),
    figure("  against each other", ratio, (value) => value.toFixed(2), { bar: under(ratio, 1.2) }),
  ];
}

const stateTables = ["kept", "resource", "change", "event", "notice", "notification"];

function memoryFigures(residentMb: number, lost: number): Figure[] {
  return [
    figure("replica's memory", residentMb, megabytes, { bar: under(residentMb, 1500, "MB") }),
    figure("links lost", lost, whole, { bar: { text: "0", met: lost === 0 } }),
  ];
}

/** Services for all agents, recorded as deployed: what a deploy costs is measured elsewhere. */
async function makeServices({ api, query }: Installation): Promise<Record<string, string[]>> {
  const agents = await query<{ uid: string; name: string }>("select uid, name from agent order by uid");
  const names = Array.from({ length: containers / containersInService }, (_, at) => `service-${at}`);
  const files = { "compose.yaml": "services:\n  web:\n    image: web:1\n" };
  const resources = agents.flatMap(({ name: host }) =>
    names.map((name) => ({
      apiVersion: "reeve/v1",
      kind: "Service",
      metadata: { scope: organization, name: `${name}-${host}`.slice(0, 60) },
      spec: { hosts: { names: [host] }, files },
    })),
  );
  say(`${resources.length} services are made`);
  for (let at = 0; at < resources.length; at += 500) await apply(api, resources.slice(at, at + 500));
  await query(
    `insert into kept (resource_uid, agent_uid) select r.uid, a.uid from resource r join agent a
     on r.kind = 'Service' and r.spec -> 'hosts' -> 'names' ->> 0 = a.name`,
  );
  const kept = await query<{ agent: string; uid: string }>(
    "select agent_uid as agent, resource_uid as uid from kept order by resource_uid",
  );
  const byAgent: Record<string, string[]> = {};
  for (const { agent, uid } of kept) {
    byAgent[agent] ??= [];
    byAgent[agent].push(uid);
  }
  return byAgent;
}

/** Until what was seen at first is written down: nothing is written any more. */
async function settled(installation: Installation): Promise<void> {
  const written = async () => {
    const rows = await writtenRows(installation);
    return sum(stateTables.map((table) => rows.get(table) ?? 0));
  };
  let before = await written();
  for (let turn = 0; turn < settleMost; turn++) {
    await sleep(restMs);
    const now = await written();
    if (now === before) return;
    before = now;
  }
  throw new Error("what hosts have seen is still being written, long after they told it");
}

async function writtenRows({ query }: Installation): Promise<Map<string, number>> {
  // Figures of a session that is at work reach others with a delay of up to a second.
  await sleep(2000);
  const rows = await query<{ table: string; rows: string }>(
    `select relname as table, n_tup_ins + n_tup_upd + n_tup_del as rows from pg_stat_user_tables`,
  );
  return new Map(rows.map(({ table, rows: count }) => [table, Number(count)]));
}

function totalOf(rates: Window["rates"]): number {
  return sum(rates.map(({ rate }) => rate));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
