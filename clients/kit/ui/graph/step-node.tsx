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
import type { Direction } from "./layout.ts";

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
      <Handle type="target" position={direction === "across" ? Position.Left : Position.Top} />
      {step.state === undefined ? <Body size={16} aria-hidden /> : <RunStateIcon state={step.state} />}
      <span className={classes.words}>
        <span className={classes.name}>{step.name}</span>
        <span className={classes.detail}>
          {step.state !== undefined && step.does !== "execute" && <Body size={12} aria-hidden />}
          {detailOf(step)}
        </span>
      </span>
      <Handle type="source" position={direction === "across" ? Position.Right : Position.Bottom} />
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
