import { Graph, layout } from "@dagrejs/dagre";
import { drawnEdges, type GraphEdge } from "./edges.ts";
import { nodeHeight, nodeWidth } from "./node-size.ts";

export interface Placed {
  readonly places: ReadonlyMap<number, { readonly x: number; readonly y: number }>;
  readonly edges: readonly GraphEdge[];
  readonly width: number;
  readonly height: number;
}

export type Direction = "across" | "down";

/** Where each step stands. Depends only on what needs what, so a run that goes on does not move. */
export function placeNodes(
  nodes: readonly { readonly id: number; readonly needs: readonly number[] }[],
  direction: Direction,
): Placed {
  const edges = drawnEdges(nodes);
  const graph = new Graph().setDefaultEdgeLabel(() => ({}));
  graph.setGraph({ rankdir: direction === "across" ? "LR" : "TB", nodesep: 18, ranksep: 44 });
  for (const { id } of nodes) graph.setNode(String(id), { width: nodeWidth, height: nodeHeight });
  for (const { from, to } of edges) graph.setEdge(String(from), String(to));
  layout(graph);
  const places = nodes.map(({ id }) => {
    const { x, y } = graph.node(String(id)) as { x: number; y: number };
    return [id, { x: x - nodeWidth / 2, y: y - nodeHeight / 2 }] as const;
  });
  const right = Math.max(0, ...places.map(([, { x }]) => x + nodeWidth));
  const bottom = Math.max(0, ...places.map(([, { y }]) => y + nodeHeight));
  return { places: new Map(places), edges, width: right, height: bottom };
}
