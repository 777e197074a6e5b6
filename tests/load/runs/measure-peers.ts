import { say } from "../measure/progress.ts";
import { type Quantiles, quantiles, spread } from "../measure/quantiles.ts";
import { ms, whole } from "../measure/table.ts";
import { type Figure, figure } from "./figures.ts";
import { installPeers, type PeerName, peerNames, startPeer } from "./peers.ts";
import type { Site } from "./site.ts";

/** What a figure of Reeve is compared with, measured on the same Postgres in the same run. */
export interface PeerFigures {
  readonly jobsPerSecond: number;
  readonly startMs: Quantiles;
  /** A chain of 40 steps in DBOS's own process. */
  readonly chainMs?: Quantiles;
}

export const chainSteps = 40;

/** DBOS does some hundred a second, the others some ten thousand: windows of about the same length. */
const jobs: Record<PeerName, number> = { "pg-boss": 20_000, "graphile-worker": 20_000, dbos: 2_000 };
const windows = 3;

/** Every peer alone, with the settings its documentation gives for throughput; the best of its windows counts. */
export async function measurePeers(site: Site): Promise<Figure[]> {
  const { premises, quick, postgres, peers } = site;
  installPeers();
  const figures: Figure[] = [];
  for (const name of peerNames) {
    const url = await postgres.database(`peer_${name.replace("-", "_")}`);
    const peer = startPeer(premises, name, url);
    const count = jobs[name];
    await peer.jobs({ count: count / 10 });
    const rates: number[] = [];
    for (let turn = 0; turn < (quick ? 2 : windows); turn++) rates.push(await peer.jobs({ count }));
    const startMs = quantiles(await peer.starts({ count: quick ? 100 : 300, pauseMs: 20 }));
    const chainMs =
      name === "dbos"
        ? quantiles(await peer.chains({ count: quick ? 10 : 30, steps: chainSteps }))
        : undefined;
    await peer.end();
    const jobsPerSecond = Math.max(...rates);
    peers[name] = { jobsPerSecond, startMs, ...(chainMs && { chainMs }) };
    say(`${name}: ${whole(jobsPerSecond)} jobs/s, start p50 ${ms(startMs.p50)}, p99 ${ms(startMs.p99)}`);
    figures.push(
      figure(`${name}: jobs a second`, jobsPerSecond, whole, { detail: spread(rates) }),
      figure(`${name}: start p50`, startMs.p50, ms, { detail: startMs }),
      figure(`${name}: start p99`, startMs.p99, ms),
    );
    if (chainMs !== undefined)
      figures.push(figure(`${name}: ${chainSteps} steps in process`, chainMs.p50, ms, { detail: chainMs }));
  }
  return figures;
}
