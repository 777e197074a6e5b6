import "@xyflow/react/dist/base.css";
import { ActionIcon, Skeleton } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconMaximize, IconMinus, IconPlus } from "@tabler/icons-react";
import { MiniMap, type NodeChange, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useState } from "react";
import { Later } from "../later.tsx";
import { stateLooks } from "../run/look.ts";
import classes from "./graph.module.css";
import type { GraphNode } from "./graph-node.ts";
import { type Direction, nodeHeight, nodeWidth, type Placed, placeNodes } from "./layout.ts";
import { type RoutedEdge, RoutedEdgeView } from "./routed-edge.tsx";
import { labelOf, type StepNode, StepNodeView, shapeOf } from "./step-node.tsx";

export interface StepGraphProps {
  readonly nodes: readonly GraphNode[];
  readonly selected?: number | undefined;
  readonly onSelect?: (id: number | undefined) => void;
  /** How high it may be; a small graph is lower. */
  readonly mostHeight?: number;
}

/** From here on only what is seen is drawn, and a map of the whole helps. */
const large = 80;
const narrow = 560;
const nodeTypes = { step: StepNodeView };
const edgeTypes = { routed: RoutedEdgeView };
/** Names can be read down to this scale: a graph that would be smaller as a whole is seen in part. */
const readable = 0.4;
const startZoom = 0.8;
const fit = { padding: 0.06, maxZoom: 1 };

/** Told, not measured: to measure a step it would have to be drawn once, also those that are out of sight. */
const shapes = { across: shapeOf("across"), down: shapeOf("down") };

/** The steps of a run or of a definition and what needs what. Read from left to right, on a narrow screen from top to bottom. */
export function StepGraph(props: StepGraphProps) {
  const { ref, width } = useElementSize();
  const direction: Direction = width > 0 && width < narrow ? "down" : "across";
  const placed = useLayout(props.nodes, direction);
  const most = props.mostHeight ?? 420;
  const natural = placed.height + 48;
  const scaled = width > 0 ? natural * Math.min(1, width / (placed.width + 24)) : natural;
  const isWhole = width === 0 || width / placed.width > readable;
  const height =
    direction === "down" || !isWhole ? Math.min(most, natural) : Math.max(140, Math.min(most, scaled));
  return (
    <div ref={ref} className={classes.frame} style={{ height }}>
      {width === 0 ? (
        <Skeleton height="100%" radius={0} />
      ) : (
        <ReactFlowProvider>
          <Flow {...props} placed={placed} direction={direction} isWide={width >= narrow} isWhole={isWhole} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

/** Placed anew only when the shape of the graph has changed, not with every state. */
function useLayout(nodes: readonly GraphNode[], direction: Direction): Placed {
  const shape = JSON.stringify(nodes.map(({ id, needs }) => ({ id, needs })));
  return useMemo(() => placeNodes(JSON.parse(shape), direction), [shape, direction]);
}

interface FlowProps extends StepGraphProps {
  readonly placed: Placed;
  readonly direction: Direction;
  readonly isWide: boolean;
  readonly isWhole: boolean;
}

function Flow({ nodes, selected, onSelect, placed, direction, isWide, isWhole }: FlowProps) {
  const shown = useMemo(
    () =>
      nodes.flatMap((step): StepNode[] => {
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
    [nodes, placed, selected, direction],
  );
  const edges = useMemo(
    () =>
      placed.edges.map(({ from, to, via }): RoutedEdge => {
        const ends = { id: `${from}-${to}`, source: String(from), target: String(to) };
        return { ...ends, type: "routed", focusable: false, data: { via, direction } };
      }),
    [placed, direction],
  );
  const changed = (changes: NodeChange<StepNode>[]) => {
    for (const change of changes)
      if (change.type === "select" && change.selected) onSelect?.(Number(change.id));
  };
  // Of a large graph, where something is going on; placed once, so that nothing moves under one's eyes.
  const [start] = useState(() => {
    const busy = nodes.find(({ state }) => state === "failed" || state === "running" || state === "waiting");
    return placed.places.get(selected ?? busy?.id ?? nodes[0]?.id ?? 0) ?? { x: 0, y: 0 };
  });
  return (
    <ReactFlow
      nodes={shown}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={changed}
      onPaneClick={() => onSelect?.(undefined)}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      deleteKeyCode={null}
      multiSelectionKeyCode={null}
      selectionKeyCode={null}
      // The wheel scrolls the page; with Ctrl it zooms.
      zoomOnScroll={false}
      preventScrolling={false}
      minZoom={0.05}
      maxZoom={1.5}
      fitView={isWhole}
      fitViewOptions={fit}
      defaultViewport={{ x: 40 - start.x * startZoom, y: 150 - start.y * startZoom, zoom: startZoom }}
      onlyRenderVisibleElements={nodes.length > large}
      aria-label="Graph of the steps"
    >
      <Controls placed={placed} selected={selected} />
      {nodes.length > large && isWide && (
        // It draws every step there is.
        <Later>
          <MiniMap<StepNode>
            className={classes.minimap ?? ""}
            pannable
            nodeColor={({ data }) => toneColors[data.step.state ? stateLooks[data.step.state].tone : "idle"]}
            ariaLabel="The whole graph, small"
          />
        </Later>
      )}
    </ReactFlow>
  );
}

const toneColors = {
  ...{
    idle: "#9aa2ab",
    active: "#3b8fdb",
    waiting: "#d69a2d",
    good: "#3fa76c",
    bad: "#d8453b",
    over: "#b4bbc2",
  },
};

function Controls({ placed, selected }: { readonly placed: Placed; readonly selected: number | undefined }) {
  const { zoomIn, zoomOut, fitView, getViewport, setCenter } = useReactFlow();
  // Where the graph is too large to be read as a whole, the step that was chosen comes into sight.
  useEffect(() => {
    const place = selected === undefined ? undefined : placed.places.get(selected);
    if (place !== undefined && getViewport().zoom < readable)
      void setCenter(place.x + nodeWidth / 2, place.y + nodeHeight / 2, { zoom: startZoom });
  }, [selected, placed, getViewport, setCenter]);
  const buttons = [
    { label: "Zoom in", icon: <IconPlus size={14} />, act: () => void zoomIn() },
    { label: "Zoom out", icon: <IconMinus size={14} />, act: () => void zoomOut() },
    { label: "Show all", icon: <IconMaximize size={14} />, act: () => void fitView(fit) },
  ];
  return (
    <div className={classes.controls}>
      {buttons.map(({ label, icon, act }) => (
        <ActionIcon key={label} variant="default" size="sm" aria-label={label} title={label} onClick={act}>
          {icon}
        </ActionIcon>
      ))}
    </div>
  );
}
