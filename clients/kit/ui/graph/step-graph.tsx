import "@xyflow/react/dist/base.css";
import { ActionIcon, Skeleton } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconMaximize, IconMinus, IconPlus } from "@tabler/icons-react";
import {
  MiniMap,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStoreApi,
} from "@xyflow/react";
import { useDeferredValue, useEffect, useState } from "react";
import { Later } from "../later.tsx";
import { stateLooks } from "../run/look.ts";
import classes from "./graph.module.css";
import type { GraphNode } from "./graph-node.ts";
import { type Direction, nodeHeight, nodeWidth, type Placed } from "./layout.ts";
import { type RoutedEdge, RoutedEdgeView } from "./routed-edge.tsx";
import { type StepNode, StepNodeView } from "./step-node.tsx";
import { useElements, useLayout } from "./use-elements.ts";

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
const [leastZoom, mostZoom] = [0.05, 1.5];
const fit = { padding: 0.06, maxZoom: 1 };

/** The steps of a run or of a definition and what needs what. Read from left to right, on a narrow screen from top to bottom. */
export function StepGraph(props: StepGraphProps) {
  const { ref, width: measured } = useElementSize();
  // Of a large graph much is drawn: in small pieces, between which the page answers.
  const width = useDeferredValue(measured);
  const direction: Direction = width > 0 && width < narrow ? "down" : "across";
  const placed = useLayout(props.nodes, direction);
  const most = props.mostHeight ?? 420;
  const natural = placed.height + 48;
  const scaled = width > 0 ? natural * Math.min(1, width / (placed.width + 24)) : natural;
  const isWhole = width === 0 || width / placed.width > readable;
  const height =
    direction === "down" || !isWhole ? Math.min(most, natural) : Math.max(140, Math.min(most, scaled));
  const { nodes, edges } = useElements(props.nodes, props.selected, placed, direction);
  return (
    <div ref={ref} className={classes.frame} style={{ height }}>
      {width === 0 ? (
        <Skeleton height="100%" radius={0} />
      ) : (
        // Told what it will show, the library draws it at once; otherwise it would after that, and in one go.
        <ReactFlowProvider
          initialNodes={nodes}
          initialEdges={edges}
          initialWidth={width}
          initialHeight={height}
          initialFitViewOptions={fit}
          initialMinZoom={leastZoom}
          initialMaxZoom={mostZoom}
          fitView={isWhole}
        >
          <Flow
            {...{ nodes, edges, placed, isWhole }}
            steps={props.nodes}
            selected={props.selected}
            onSelect={props.onSelect}
            isWide={width >= narrow}
          />
        </ReactFlowProvider>
      )}
    </div>
  );
}

interface FlowProps {
  readonly steps: readonly GraphNode[];
  readonly nodes: StepNode[];
  readonly edges: RoutedEdge[];
  readonly selected: number | undefined;
  readonly onSelect: StepGraphProps["onSelect"];
  readonly placed: Placed;
  readonly isWide: boolean;
  readonly isWhole: boolean;
}

function Flow({ steps, nodes, edges, selected, onSelect, placed, isWide, isWhole }: FlowProps) {
  const changed = (changes: NodeChange<StepNode>[]) => {
    for (const change of changes)
      if (change.type === "select" && change.selected) onSelect?.(Number(change.id));
  };
  const store = useStoreApi();
  // Of a large graph, where something is going on; placed once, so that nothing moves under one's eyes.
  const [start] = useState(() => {
    const busy = steps.find(({ state }) => state === "failed" || state === "running" || state === "waiting");
    const at = placed.places.get(selected ?? busy?.id ?? steps[0]?.id ?? 0) ?? { x: 0, y: 0 };
    const viewport = { x: 40 - at.x * startZoom, y: 150 - at.y * startZoom, zoom: startZoom };
    // The library would turn there only when it has drawn another part.
    if (!isWhole) store.setState({ transform: [viewport.x, viewport.y, viewport.zoom] });
    return viewport;
  });
  return (
    <ReactFlow
      nodes={nodes}
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
      minZoom={leastZoom}
      maxZoom={mostZoom}
      fitView={isWhole}
      fitViewOptions={fit}
      defaultViewport={start}
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
