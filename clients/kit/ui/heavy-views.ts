import { lazyView } from "./lazy.tsx";

/** What few pages need and what is large: none of it is part of the first load. */
export const StepGraph = lazyView(async () => (await import("./graph/step-graph.tsx")).StepGraph, 160);
export const TimelineView = lazyView(
  async () => (await import("./timeline/timeline-view.tsx")).TimelineView,
  160,
);
export const LogView = lazyView(async () => (await import("./log/log-view.tsx")).LogView, 320);
export const ChartView = lazyView(async () => (await import("./chart/chart-view.tsx")).ChartView, 160);
export const ReplayView = lazyView(async () => (await import("./terminal/replay-view.tsx")).ReplayView, 320);
export const TerminalView = lazyView(
  async () => (await import("./terminal/terminal-view.tsx")).TerminalView,
  320,
);
