/** What every page of the console is made of: where it stands, what it shows live, and the parts it is drawn with. */
export { usePath, useQuery, useScope } from "./address.ts";
export type {
  AreaPage,
  Attention,
  AttentionSource,
  CommandContext,
  KindTab,
  NavigationItem,
  PaletteCommand,
  WebArea,
} from "./area.ts";
export { asFault, client, onSignedOut } from "./client.ts";
export { PageLink, useGo } from "./link.tsx";
export { type Me, MeContext, useKind, useKinds, useWhoami } from "./me.ts";
export { pagePatterns, paths, readPath, scopedPath, withQuery } from "./paths.ts";
export { Command, EmptyState } from "./ui/empty-state.tsx";
export { FaultView, sentence } from "./ui/fault-view.tsx";
export { type GraphNode, nodesOfGraph, nodesOfSteps } from "./ui/graph/graph-node.ts";
export { ChartView, LogView, StepGraph, TimelineView } from "./ui/heavy-views.ts";
export { PageHeader } from "./ui/page-header.tsx";
export { RunStateBadge, RunStateIcon } from "./ui/run/state.tsx";
export { useTitle } from "./ui/title.ts";
export { tookText } from "./ui/took.ts";
