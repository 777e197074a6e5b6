import { useEffect, useMemo, useRef, useState } from "react";
import type { GraphNode } from "./graph-node.ts";
import type { Direction, Placed } from "./layout.ts";
import type { LayoutAsked } from "./layout-worker.ts";

/** Where the steps stand; the one before until a new one is there. Changes only with the shape of the graph. */
export function useLayout(nodes: readonly GraphNode[], direction: Direction): Placed | undefined {
  const [placed, setPlaced] = useState<Placed>();
  const key = useMemo(
    () => JSON.stringify([direction, nodes.map(({ id, needs }) => [id, needs])]),
    [nodes, direction],
  );
  const worker = useRef<Worker>(undefined);
  const latest = useRef(key);
  latest.current = key;
  useEffect(() => {
    const made = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    worker.current = made;
    made.addEventListener("message", ({ data }: MessageEvent<{ key: string; placed: Placed }>) => {
      if (data.key === latest.current) setPlaced(data.placed);
    });
    return () => made.terminate();
  }, []);
  useEffect(() => {
    const [, shape] = JSON.parse(key) as [Direction, [number, number[]][]];
    const asked: LayoutAsked = { key, direction, nodes: shape.map(([id, needs]) => ({ id, needs })) };
    worker.current?.postMessage(asked);
  }, [key, direction]);
  return placed;
}
