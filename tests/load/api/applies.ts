import type { Load } from "../measure/generator.ts";
import { type Quantiles, quantiles } from "../measure/quantiles.ts";
import { openConnection, refusalText, requestText } from "./http-connection.ts";
import { account, accountPath, scattered } from "./population.ts";

export interface AppliesResult {
  readonly perSecond: number;
  readonly created: number;
  readonly updated: number;
  readonly latencyMs: Quantiles;
}

/**
 * PUTs as fast as they are answered, one under way per connection: a new account and a change of an old one in turn. Whoever comes
 * second on an installation begins at a turn that the first does not reach: what is there already would be neither.
 */
export const applies: Load<
  { port: number; token: string; connections: number; size: number; firstTurn: number },
  { seconds: number },
  AppliesResult
> = async ({ port, token, connections, size, firstTurn }) => {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  let turn = firstTurn;

  /** Never the same resource twice until all others have been had. */
  function next(): { request: string; creates: boolean } {
    const mine = turn++;
    const creates = mine % 2 === 0;
    const half = Math.floor(mine / 2);
    const index = creates ? size + half : scattered(half, size);
    const body = account(index, `Deploys service ${index}, in its version ${mine}.`);
    return { request: requestText({ method: "PUT", path: accountPath(index), token, body }), creates };
  }

  return async ({ seconds }) => {
    const startedAt = performance.now();
    const until = startedAt + seconds * 1000;
    const latencies: number[] = [];
    const counts = { created: 0, updated: 0 };
    await Promise.all(
      open.map(async (connection) => {
        while (performance.now() < until) {
          const { request, creates } = next();
          const sentAt = performance.now();
          const answer = await connection.send(request);
          latencies.push(performance.now() - sentAt);
          const outcome = creates ? "created" : "updated";
          if (!answer.head.includes(`reeve-outcome: ${outcome}`))
            throw new Error(`expected ${outcome}: ${refusalText(answer)}`);
          counts[outcome]++;
        }
      }),
    );
    const perSecond = latencies.length / ((performance.now() - startedAt) / 1000);
    return { perSecond, ...counts, latencyMs: quantiles(latencies) };
  };
};
