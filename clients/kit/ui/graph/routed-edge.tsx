import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { type Direction, nodeHeight, nodeWidth, type Point } from "./layout.ts";

export type RoutedEdge = Edge<{ readonly via: readonly Point[]; readonly direction: Direction }, "routed">;

/** A line that goes past nodes, not through them. */
export function RoutedEdgeView({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<RoutedEdge>) {
  const path = pathOf(
    { x: sourceX, y: sourceY },
    data?.via ?? [],
    { x: targetX, y: targetY },
    data?.direction ?? "across",
  );
  return <BaseEdge path={path} />;
}

/** Curved between ranks, straight within them. */
function pathOf(from: Point, via: readonly Point[], to: Point, direction: Direction): string {
  const isAcross = direction === "across";
  const curve = (a: Point, b: Point) => {
    const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
    return isAcross ? `C${x},${a.y} ${x},${b.y} ${b.x},${b.y}` : `C${a.x},${y} ${b.x},${y} ${b.x},${b.y}`;
  };
  const parts = [`M${from.x},${from.y}`];
  let at = from;
  for (const enters of via) {
    parts.push(curve(at, enters));
    at = isAcross ? { ...enters, x: enters.x + nodeWidth } : { ...enters, y: enters.y + nodeHeight };
    parts.push(`L${at.x},${at.y}`);
  }
  return [...parts, curve(at, to)].join("");
}
