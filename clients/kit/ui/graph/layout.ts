import { drawnEdges, type GraphEdge } from "./edges.ts";

export const nodeWidth = 190;
export const nodeHeight = 52;
const rankGap = 46;
const nodeGap = 18;
const sweeps = 4;

export interface Placed {
  readonly places: ReadonlyMap<number, { readonly x: number; readonly y: number }>;
  readonly edges: readonly GraphEdge[];
  readonly width: number;
  readonly height: number;
}

export type Direction = "across" | "down";

interface Spot {
  readonly id: number;
  readonly before: Spot[];
  readonly after: Spot[];
  rank: number;
  /** Along its rank. */
  at: number;
}

/**
 * Where each step stands: in the rank after the last of those it needs, beside what it is connected with. It depends only on what
 * needs what, so a run that goes on does not move. Written by hand because it takes 10 ms for 500 steps on a busy machine, for which
 * dagre took 3 s or more.
 */
export function placeNodes(
  nodes: readonly { readonly id: number; readonly needs: readonly number[] }[],
  direction: Direction,
): Placed {
  const edges = drawnEdges(nodes);
  const spots = new Map(nodes.map(({ id }) => [id, { id, before: [], after: [], rank: 0, at: 0 } as Spot]));
  for (const { from, to } of edges) {
    const [one, other] = [spots.get(from) as Spot, spots.get(to) as Spot];
    one.after.push(other);
    other.before.push(one);
    // Nodes stand after those they need, so the rank of `from` is final.
    other.rank = Math.max(other.rank, one.rank + 1);
  }
  const ranks = ranksOf([...spots.values()]);
  const size = direction === "across" ? nodeHeight : nodeWidth;
  for (const rank of ranks) spread(rank, size + nodeGap);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const rank of ranks) settle(rank, "before", size + nodeGap);
    for (const rank of ranks.toReversed()) settle(rank, "after", size + nodeGap);
  }
  for (const rank of ranks) settle(rank, "before", size + nodeGap);
  return shown([...spots.values()], edges, direction);
}

function ranksOf(spots: readonly Spot[]): Spot[][] {
  const ranks: Spot[][] = [];
  for (const spot of spots) {
    ranks[spot.rank] ??= [];
    ranks[spot.rank]?.push(spot);
  }
  return ranks;
}

function spread(rank: readonly Spot[], step: number): void {
  rank.forEach((spot, index) => {
    spot.at = (index - (rank.length - 1) / 2) * step;
  });
}

/** Moves each as near to the middle of its neighbours as the others of its rank allow. */
function settle(rank: Spot[], side: "before" | "after", step: number): void {
  const wished = new Map(rank.map((spot) => [spot, middle(spot[side]) ?? spot.at]));
  const wish = (spot: Spot) => wished.get(spot) ?? 0;
  rank.sort((a, b) => wish(a) - wish(b) || a.id - b.id);
  rank.forEach((spot, index) => {
    const least = index === 0 ? Number.NEGATIVE_INFINITY : (rank[index - 1] as Spot).at + step;
    spot.at = Math.max(wish(spot), least);
  });
  // Pushing went one way only. All move back, so that those with the most lines stand where they wished, and chains are straight.
  const most = rank.reduce((sum, spot) => Math.max(sum, lines(spot)), 0);
  const main = rank.filter((spot) => lines(spot) === most);
  const pushed = main.reduce((sum, spot) => sum + spot.at - wish(spot), 0) / main.length;
  for (const spot of rank) spot.at -= pushed;
}

function lines({ before, after }: Spot): number {
  return before.length + after.length;
}

function middle(spots: readonly Spot[]): number | undefined {
  if (spots.length === 0) return undefined;
  return spots.reduce((sum, { at }) => sum + at, 0) / spots.length;
}

function shown(spots: readonly Spot[], edges: readonly GraphEdge[], direction: Direction): Placed {
  const least = spots.reduce((sum, { at }) => Math.min(sum, at), 0);
  const places = spots.map(({ id, rank, at }) => {
    const along = at - least;
    const place =
      direction === "across"
        ? { x: rank * (nodeWidth + rankGap), y: along }
        : { x: along, y: rank * (nodeHeight + rankGap) };
    return [id, place] as const;
  });
  const most = (of: (place: { x: number; y: number }) => number) =>
    places.reduce((sum, [, place]) => Math.max(sum, of(place)), 0);
  return {
    places: new Map(places),
    edges,
    width: most(({ x }) => x) + nodeWidth,
    height: most(({ y }) => y) + nodeHeight,
  };
}
