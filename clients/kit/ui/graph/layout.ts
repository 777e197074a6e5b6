import { drawnEdges, type GraphEdge } from "./edges.ts";

export const nodeWidth = 190;
export const nodeHeight = 52;
const rankGap = 46;
const nodeGap = 18;
const sweeps = 4;
/** The room of a line that passes a rank. */
const lineSize = 2;
/** More places for lines than this are not sought: what is left is drawn straight. */
const mostPassed = 3000;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `via`: where it enters each rank that it passes between nodes, and leaves it again `nodeWidth` or `nodeHeight` further on. */
interface PlacedEdge extends GraphEdge {
  readonly via: readonly Point[];
}

export interface Placed {
  readonly places: ReadonlyMap<number, Point>;
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

export type Direction = "across" | "down";

/** The place of a node, or of a line within a rank that it passes. */
interface Spot {
  /** Of a line it is below zero. */
  readonly id: number;
  readonly size: number;
  readonly before: Spot[];
  readonly after: Spot[];
  rank: number;
  /** Its middle, along its rank. */
  at: number;
}

/**
 * Where each step stands: in the rank after the last of those it needs, beside what it is connected with; lines that pass a rank have a
 * place in it as nodes do, so that none goes through a node. It depends only on what needs what, so a run that goes on does not move. Written by hand because it takes 10 ms for 500 steps on a busy machine, for which
 * dagre took 3 s or more.
 */
export function placeNodes(
  nodes: readonly { readonly id: number; readonly needs: readonly number[] }[],
  direction: Direction,
): Placed {
  const edges = drawnEdges(nodes);
  const size = direction === "across" ? nodeHeight : nodeWidth;
  const spots = new Map(nodes.map(({ id }) => [id, newSpot(id, size, 0)]));
  // Nodes stand after those they need, so the rank of `from` is final.
  for (const { from, to } of edges) {
    const other = spots.get(to) as Spot;
    other.rank = Math.max(other.rank, (spots.get(from) as Spot).rank + 1);
  }
  let passed = 0;
  const lines = edges.map((edge) => {
    const [from, to] = [spots.get(edge.from) as Spot, spots.get(edge.to) as Spot];
    const between = to.rank - from.rank - 1;
    const via = Array.from({ length: passed + between > mostPassed ? 0 : between }, (_, at) =>
      newSpot(-++passed, lineSize, from.rank + 1 + at),
    );
    const way = [from, ...via, to];
    for (const [at, spot] of way.slice(1).entries()) {
      spot.before.push(way[at] as Spot);
      way[at]?.after.push(spot);
    }
    return { edge, via };
  });
  const ranks = ranksOf([...spots.values(), ...lines.flatMap(({ via }) => via)]);
  for (const rank of ranks) spread(rank, size + nodeGap);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const rank of ranks) settle(rank, "before");
    for (const rank of ranks.toReversed()) settle(rank, "after");
  }
  for (const rank of ranks) settle(rank, "before");
  return shown(ranks.flat(), lines, direction);
}

function newSpot(id: number, size: number, rank: number): Spot {
  return { id, size, before: [], after: [], rank, at: 0 };
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
function settle(rank: Spot[], side: "before" | "after"): void {
  const wished = new Map(rank.map((spot) => [spot, middle(spot[side]) ?? spot.at]));
  const wish = (spot: Spot) => wished.get(spot) ?? 0;
  rank.sort((a, b) => wish(a) - wish(b) || a.id - b.id);
  rank.forEach((spot, index) => {
    const last = rank[index - 1];
    spot.at = last ? Math.max(wish(spot), last.at + (last.size + spot.size) / 2 + nodeGap) : wish(spot);
  });
  // Pushing went one way only. All move back, so that those with the most lines stand where they wished, and chains are straight.
  const most = rank.reduce((sum, spot) => Math.max(sum, weight(spot)), 0);
  const main = rank.filter((spot) => weight(spot) === most);
  const pushed = main.reduce((sum, spot) => sum + spot.at - wish(spot), 0) / main.length;
  for (const spot of rank) spot.at -= pushed;
}

function weight({ before, after }: Spot): number {
  return before.length + after.length;
}

function middle(spots: readonly Spot[]): number | undefined {
  if (spots.length === 0) return undefined;
  return spots.reduce((sum, { at }) => sum + at, 0) / spots.length;
}

interface Line {
  readonly edge: GraphEdge;
  readonly via: readonly Spot[];
}

function shown(spots: readonly Spot[], lines: readonly Line[], direction: Direction): Placed {
  const least = spots.reduce((sum, { at, size }) => Math.min(sum, at - size / 2), Number.POSITIVE_INFINITY);
  const most = spots.reduce((sum, { at, size }) => Math.max(sum, at + size / 2), Number.NEGATIVE_INFINITY);
  const ranks = spots.reduce((sum, { rank }) => Math.max(sum, rank + 1), 0);
  const isAcross = direction === "across";
  const [depth, gapped] = isAcross ? [nodeWidth, nodeWidth + rankGap] : [nodeHeight, nodeHeight + rankGap];
  const point = (rank: number, along: number): Point =>
    isAcross ? { x: rank * gapped, y: along } : { x: along, y: rank * gapped };
  const nodes = spots.filter(({ id }) => id >= 0);
  const [long, broad] = [Math.max(0, (ranks - 1) * gapped) + depth, Math.max(0, most - least)];
  return {
    places: new Map(nodes.map(({ id, rank, at, size }) => [id, point(rank, at - size / 2 - least)])),
    edges: lines.map(({ edge, via }) => ({
      ...edge,
      via: via.map(({ rank, at }) => point(rank, at - least)),
    })),
    width: isAcross ? long : broad,
    height: isAcross ? broad : long,
  };
}
