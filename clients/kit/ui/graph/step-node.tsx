import {
  IconArrowsSplit2,
  IconBox,
  IconHandStop,
  IconHourglass,
  IconSitemap,
  IconTerminal2,
} from "@tabler/icons-react";
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { stateLooks } from "../run/look.ts";
import tones from "../run/state.module.css";
import { RunStateIcon } from "../run/state.tsx";
import classes from "./graph.module.css";
import { type GraphNode, itemsText } from "./graph-node.ts";
import { type Direction, nodeHeight, nodeWidth } from "./layout.ts";

export type StepNode = Node<{ readonly step: GraphNode; readonly direction: Direction }, "step">;

const bodyIcons = {
  execute: IconTerminal2,
  run: IconSitemap,
  approve: IconHandStop,
  wait: IconHourglass,
  make: IconBox,
} satisfies Record<GraphNode["does"], unknown>;

const bodyWords: Record<GraphNode["does"], string> = {
  execute: "step",
  run: "sub-run",
  approve: "approval",
  wait: "wait",
  make: "makes a resource",
};

/** The points that lines begin and end at, as the library's style draws them. */
const handle = { width: 5, height: 5 };
const handlePositions = {
  across: { target: Position.Left, source: Position.Right },
  down: { target: Position.Top, source: Position.Bottom },
};

/** How large a step is, and where lines meet it. */
export function shapeOf(direction: Direction): Pick<StepNode, "width" | "height" | "measured" | "handles"> {
  const size = { width: nodeWidth, height: nodeHeight };
  const middle = { x: (nodeWidth - handle.width) / 2, y: (nodeHeight - handle.height) / 2 };
  const { target, source } = handlePositions[direction];
  const along = direction === "across" ? "x" : "y";
  const length = direction === "across" ? nodeWidth : nodeHeight;
  return {
    ...{ ...size, measured: size },
    handles: [
      { ...handle, ...middle, type: "target", position: target, [along]: -handle.width / 2 },
      { ...handle, ...middle, type: "source", position: source, [along]: length - handle.width / 2 },
    ],
  };
}

export const StepNodeView = memo(({ data: { step, direction }, selected }: NodeProps<StepNode>) => {
  const Body = step.fanOut ? IconArrowsSplit2 : bodyIcons[step.does];
  const tone = step.state === undefined ? "idle" : stateLooks[step.state].tone;
  return (
    <div
      className={`${tones.tone} ${classes.node}`}
      data-tone={tone}
      data-selected={selected || undefined}
      data-cleanup={step.cleanup || undefined}
      data-fan-out={step.fanOut || undefined}
      title={step.why ? `${step.name}: ${step.why}` : step.name}
    >
      <Handle type="target" position={handlePositions[direction].target} />
      {step.state === undefined ? <Body size={16} aria-hidden /> : <RunStateIcon state={step.state} />}
      <span className={classes.words}>
        <span className={classes.name}>{step.name}</span>
        <span className={classes.detail}>
          {step.state !== undefined && step.does !== "execute" && <Body size={12} aria-hidden />}
          {detailOf(step)}
        </span>
      </span>
      <Handle type="source" position={handlePositions[direction].source} />
    </div>
  );
});

function detailOf(step: GraphNode): string {
  const what = step.fanOut ? "fan-out" : bodyWords[step.does];
  const kind = step.cleanup ? `cleanup ${what === "step" ? "" : what}`.trim() : what;
  if (step.state === undefined) return kind;
  const again = (step.attempt ?? 0) > 1 ? `, attempt ${step.attempt}` : "";
  const items = itemsText(step.items);
  if (items !== undefined) return items;
  return `${step.cleanup ? "cleanup, " : ""}${step.state}${again}`;
}

/** For who hears the graph instead of seeing it. */
export function labelOf(step: GraphNode): string {
  return [`${step.name}: ${detailOf(step)}`, step.why].filter(Boolean).join(", ");
}
