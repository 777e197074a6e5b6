/** Places a graph away from the window's own thread: 500 steps take longer than a frame. */
import { type Direction, placeNodes } from "./layout.ts";

export interface LayoutAsked {
  readonly key: string;
  readonly nodes: Parameters<typeof placeNodes>[0];
  readonly direction: Direction;
}

addEventListener("message", ({ data }: MessageEvent<LayoutAsked>) => {
  postMessage({ key: data.key, placed: placeNodes(data.nodes, data.direction) });
});
