import { useMemo } from "react";
import type { GraphNode } from "./graph-node.ts";
import { type Direction, type Placed, placeNodes } from "./layout.ts";
import type { RoutedEdge } from "./routed-edge.tsx";
import { labelOf, type StepNode, shapeOf } from "./step-node.tsx";

/** Told, not measured: to measure a step it would have to be drawn once, also those that are out of sight. */
const shapes = { across: shapeOf("across"), down: shapeOf("down") };

/** Placed anew only when the shape of the graph has changed, not with every state. */
export function useLayout(nodes: readonly GraphNode[], direction: Direction): Placed {
  const shape = JSON.stringify(nodes.map(({ id, needs }) => ({ id, needs })));
  return useMemo(() => placeNodes(JSON.parse(shape), direction), [shape, direction]);
}

/** The steps and the lines between them, as the library wants them. */
export function useElements(
  steps: readonly GraphNode[],
  selected: number | undefined,
  placed: Placed,
  direction: Direction,
): { readonly nodes: StepNode[]; readonly edges: RoutedEdge[] } {
  const nodes = useMemo(
    () =>
      steps.flatMap((step): StepNode[] => {
        const position = placed.places.get(step.id);
        if (position === undefined) return [];
        const id = String(step.id);
        const isSelected = step.id === selected;
        const ariaLabel = labelOf(step);
        return [
          {
            id,
            type: "step",
            position,
            ...shapes[direction],
            selected: isSelected,
            ariaLabel,
            data: { step, direction },
          },
        ];
      }),
    [steps, placed, selected, direction],
  );
  const edges = useMemo(
    () =>
      placed.edges.map(({ from, to, via }): RoutedEdge => {
        const ends = { id: `${from}-${to}`, source: String(from), target: String(to) };
        return { ...ends, type: "routed", focusable: false, data: { via, direction } };
      }),
    [placed, direction],
  );
  return { nodes, edges };
}
