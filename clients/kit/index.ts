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
  WritingAid,
} from "./area.ts";
export { asFault, client, onSignedOut, setProof } from "./client.ts";
export { hasWords } from "./has-words.ts";
export { knownKind, stateAllows } from "./known-kinds.ts";
export { PageLink, useGo } from "./link.tsx";
export type { RunWithSteps } from "./live/gather.ts";
export { resultsShown } from "./live/results.ts";
export type { Connection } from "./live/stream.ts";
export { type Action, useAction } from "./live/use-action.ts";
export { useAgents, useHostWork } from "./live/use-agents.ts";
export { useAudit } from "./live/use-audit.ts";
export { type Can, useCan } from "./live/use-can.ts";
export { type LiveList, type LiveResource, useList, useResource } from "./live/use-list.ts";
export { useResults } from "./live/use-results.ts";
export { type LiveRun, useRun, useRuns } from "./live/use-run.ts";
export { useConnection } from "./live/window-stream.ts";
export { makeAndAct } from "./make-and-act.ts";
export { type Me, MeContext, useKind, useKinds, useWhoami } from "./me.ts";
export { type Offer, Offered, useOffers } from "./offers.ts";
export { pagePatterns, paths, readPath, scopedPath, withQuery } from "./paths.ts";
export { type Reading, useReading } from "./reading.ts";
export { AddressLink } from "./resource/address-link.tsx";
export { DeleteButton } from "./resource/delete-button.tsx";
export { ResourceEditor } from "./resource/edit/resource-editor.tsx";
export { EventsView } from "./resource/events-view.tsx";
export { HistoryView } from "./resource/history-view.tsx";
export { KindActions } from "./resource/kind-actions.tsx";
export { placeColumns, wordsOf } from "./resource/place-columns.tsx";
export { type OfResource, recordTabs } from "./resource/record-tabs.tsx";
export { ResourceHead } from "./resource/resource-head.tsx";
export { ResourceOverview } from "./resource/resource-overview.tsx";
export { useWhyNot } from "./resource/use-why-not.ts";
export { ValueView } from "./resource/value-view.tsx";
export { emptyManifest, writableText } from "./resource/writable.ts";
export { styleNonce } from "./style-nonce.ts";
export { ActionButton, ReasonedButton } from "./ui/action-button.tsx";
export { Age, ageText, exactTime, Took, useNow } from "./ui/age.tsx";
export { CodeView } from "./ui/code-view.tsx";
export { type Column, DataTable } from "./ui/data-table.tsx";
export { Dialog } from "./ui/dialog.tsx";
export { DiffView } from "./ui/diff/diff-view.tsx";
export { type Clash, type Merge, merge } from "./ui/diff/merge.ts";
export { Command, EmptyState } from "./ui/empty-state.tsx";
export { Fact, Facts } from "./ui/facts.tsx";
export { FaultView, sentence } from "./ui/fault-view.tsx";
export { FindField } from "./ui/find-field.tsx";
export { namesAround, useNames } from "./ui/form/names.ts";
export { SchemaForm } from "./ui/form/schema-form.tsx";
export { useScopes } from "./ui/form/scopes.ts";
export { freshValue } from "./ui/form/value.ts";
export { FormDialog } from "./ui/form-dialog.tsx";
export { type GraphNode, nodesOfGraph, nodesOfSteps } from "./ui/graph/graph-node.ts";
export { ChartView, LogView, ReplayView, StepGraph, TerminalView, TimelineView } from "./ui/heavy-views.ts";
export { Later } from "./ui/later.tsx";
export { clock } from "./ui/log/log-row.tsx";
export { LogFrame, LogText } from "./ui/log/log-text.tsx";
export { NameField } from "./ui/name-field.tsx";
export { Notice } from "./ui/notice.tsx";
export { tell, tellFault } from "./ui/notify.tsx";
export { PageHeader } from "./ui/page-header.tsx";
export { type PageTab, PageTabs } from "./ui/page-tabs.tsx";
export { ResultStrip } from "./ui/run/result-strip.tsx";
export { RunList } from "./ui/run/run-list.tsx";
export { RunStateBadge, RunStateIcon } from "./ui/run/state.tsx";
export { check } from "./ui/schema/check.ts";
export { inOrder } from "./ui/schema/in-order.ts";
export { manifestSchema } from "./ui/schema/manifest-schema.ts";
export { type SchemaAt, schemaAt } from "./ui/schema/schema.ts";
export { Section } from "./ui/section.tsx";
export { ShownOnce } from "./ui/shown-once.tsx";
export { StaleNote } from "./ui/stale-note.tsx";
export { StateBadge } from "./ui/state-badge.tsx";
export { useTitle } from "./ui/title.ts";
export { tookText } from "./ui/took.ts";
export { UsageCharts } from "./ui/usage/usage-charts.tsx";
export { WithAges } from "./ui/with-ages.tsx";
export type { Problem } from "./ui/yaml/editor.tsx";
export { YamlEditor } from "./ui/yaml/yaml-editor.tsx";
export { type Loaded, useLoaded } from "./use-loaded.ts";
