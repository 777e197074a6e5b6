/**
 * The TypeScript SDK: `connect({ url, token })`, then resources typed by their kinds. It promises that a call which may be
 * repeated is repeated, that no change happens twice for it, and that failures are the model's faults.
 */
export type { Access, Answer, Explanation, Question, Session, SessionInfo, Setup, Whoami } from "./access.ts";
export { collectionPath, itemPath, type KindRef } from "./address.ts";
export type { Audit, AuditPage, AuditProof, AuditQuery, AuditRecord, ExportedRecord } from "./audit.ts";
export type { AuthorityAdmin, AuthorityInfo } from "./authority-admin.ts";
export type { BulkManifest, BulkResult } from "./bulk.ts";
export { CallFault } from "./call-fault.ts";
export type { Collection, Difference, Generation, Patch, Use, Why } from "./collection.ts";
export { type Client, type ConnectOptions, connect, type DebugTopic, type ServerInfo } from "./connect.ts";
export type { Draft } from "./draft.ts";
export type { FollowOptions } from "./follow.ts";
export type { HostEngineClient } from "./host-engine.ts";
export type { KeyAdmin, KeyInfo } from "./key-admin.ts";
export { type ActionInfo, answersTo, type ColumnInfo, type KindInfo } from "./kind-info.ts";
export type { LogIndexNews, LogNews, LogPart, LogQuery, LogsClient } from "./logs.ts";
export type { Applied, Mutation, Outcome } from "./mutation.ts";
export { nearest } from "./nearest.ts";
export type { Page, PageQuery } from "./pages.ts";
export type { Recording, RecordingsClient } from "./recordings.ts";
export type { Hold, Removal } from "./removal.ts";
export type { RepositoryFile, RepositoryFilesClient, RepositoryTree } from "./repository-files.ts";
export type { RetryRule } from "./retry.ts";
export type {
  Definition,
  ListNews,
  RunBeginning,
  RunNews,
  RunQuery,
  RunRate,
  RunStart,
  RunsClient,
  StepQuery,
} from "./runs.ts";
export type {
  Backfill,
  BackfillProgress,
  BackfillRequest,
  ListedSchedule,
  SchedulesClient,
} from "./schedules.ts";
export type { Selection } from "./selection.ts";
export type { ServiceDifference } from "./service-difference.ts";
export type { ServiceLogNews, ServiceLogQuery, ServiceLogsClient } from "./service-logs.ts";
export type { ServiceTemplate, ServiceTemplatesClient, WantedService } from "./service-templates.ts";
export type {
  OpenTerminal,
  TerminalEnd,
  TerminalSize,
  TerminalsClient,
  TerminalTicket,
} from "./terminals.ts";
export type { Fetch } from "./transport.ts";
export type { UsageClient, UsageOverTime, UsedNow } from "./usage.ts";
export type { WatchQuery } from "./watch.ts";
export type { AgentNow, HeldStep, PartNews, StreamNews, WatchPart } from "./watch-many.ts";
export type { WatchEvent } from "./watch-memory.ts";
export type { Call } from "./wire.ts";
