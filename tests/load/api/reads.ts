import type { Load } from "../measure/generator.ts";
import { type Quantiles, quantiles } from "../measure/quantiles.ts";
import { readJson, refusalText, requestText } from "./http-connection.ts";
import { openLoop } from "./open-loop.ts";
import { accountPath, collectionPath, organization, scattered, teamName } from "./population.ts";

export type ReadKind = keyof typeof paths;

/** What is asked for, by turn. A page always has 100 items, at every size. */
const paths = {
  get: (turn: number, size: number) => accountPath(scattered(turn, size)),
  projectPage: (turn: number) => `${collectionPath(turn)}?labels=tier%3Dweb&limit=100`,
  teamPage: (turn: number) =>
    `/api/v1/organizations/${organization}/serviceaccounts?deep=true&labels=team%3D${teamName(turn * 37)}&limit=100`,
};

const warmUpSeconds = 2;

/** Reads at a fixed rate; latency is counted from the moment each should have been sent. */
export const reads: Load<
  { port: number; token: string; size: number },
  { kind: ReadKind; perSecond: number; seconds: number },
  Quantiles & { readonly overloaded: boolean }
> = async ({ port, token, size }) => {
  const loop = await openLoop(port, 64);
  return async ({ kind, perSecond, seconds }) => {
    const latencies: number[] = [];
    const measure = (count: number, kept: boolean) =>
      loop.run({
        perSecond,
        count,
        async send(turn, connection, intendedAt) {
          const request = requestText({ method: "GET", path: paths[kind](turn, size), token });
          const answer = await connection.send(request);
          if (kept) latencies.push(performance.now() - intendedAt);
          if (answer.status !== 200) throw new Error(refusalText(answer));
          if (turn === 0) check(kind, readJson(answer));
        },
      });
    await measure(warmUpSeconds * perSecond, false);
    const sent = await measure(seconds * perSecond, true);
    return { ...quantiles(latencies), overloaded: sent < seconds * perSecond };
  };
};

/** A fast answer to another question would be worth nothing. */
function check(kind: ReadKind, body: unknown): void {
  const { items, spec } = body as { items?: unknown[]; spec?: unknown };
  if (kind === "get" ? spec === undefined : items?.length !== 100)
    throw new Error(`not the page that was asked for: ${JSON.stringify(body).slice(0, 300)}`);
}
