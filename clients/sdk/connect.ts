import { Fault, type Kind, type Resource, type ResourceOf } from "@reeve/model";
import { type Access, openAccess } from "./access.ts";
import type { KindRef } from "./address.ts";
import { type Audit, openAudit } from "./audit.ts";
import { type AuthorityAdmin, openAuthorityAdmin } from "./authority-admin.ts";
import { applyMany, type BulkManifest, type BulkResult } from "./bulk.ts";
import { type Collection, openCollection } from "./collection.ts";
import { type HostEngineClient, openHostEngine } from "./host-engine.ts";
import { type KeyAdmin, openKeyAdmin } from "./key-admin.ts";
import { answersTo, type KindInfo } from "./kind-info.ts";
import { type LogsClient, openLogs } from "./logs.ts";
import type { Mutation } from "./mutation.ts";
import { openRecordings, type RecordingsClient } from "./recordings.ts";
import { openRepositoryFiles, type RepositoryFilesClient } from "./repository-files.ts";
import { openRuns, type RunsClient } from "./runs.ts";
import { openSchedules, type SchedulesClient } from "./schedules.ts";
import { openServiceDifference } from "./service-difference.ts";
import { openServiceLogs, type ServiceLogsClient } from "./service-logs.ts";
import { openServiceTemplates, type ServiceTemplatesClient } from "./service-templates.ts";
import { openTerminals, type TerminalsClient } from "./terminals.ts";
import { openUsage, type UsageClient } from "./usage.ts";
import { type StreamNews, type WatchPart, watchMany } from "./watch-many.ts";
import { type Answer, type Call, openWire, type WireOptions } from "./wire.ts";

export type ConnectOptions = WireOptions;

export interface ServerInfo {
  readonly version: string;
  readonly timeline: string;
  readonly replica: string;
  readonly roles: readonly string[];
  readonly startedAt: string;
}

export type DebugTopic = "reconcilers" | "leases" | "links" | "lane" | "runs" | "agents";

/** A Reeve server, as a program sees it. Nothing is sent before the first call. */
export interface Client extends Access, KeyAdmin, AuthorityAdmin {
  readonly url: string;
  /** The credential in use; changes upon signing in and out. */
  readonly token: string | undefined;
  /** The resources of a kind, typed by it. */
  kind<K extends Kind>(kind: K): Collection<ResourceOf<K>>;
  kind(kind: KindRef): Collection<Resource>;
  /** The kind a person means by a word, from the server's own list. */
  find(word: string): Promise<KindInfo>;
  kinds(): Promise<readonly KindInfo[]>;
  server(): Promise<ServerInfo>;
  /** Who did what, and the proof that it is all there. */
  readonly audit: Audit;
  /** What is done, was done, and how to steer it. */
  readonly runs: RunsClient;
  /** When workflows run by themselves. */
  readonly schedules: SchedulesClient;
  /** What runs have written. */
  readonly logs: LogsClient;
  /** Commands in containers and shells on hosts. */
  readonly terminals: TerminalsClient;
  readonly recordings: RecordingsClient;
  /** What the containers of services have said. */
  readonly serviceLogs: ServiceLogsClient;
  /** What repositories of services hold. */
  readonly repositoryFiles: RepositoryFilesClient;
  /** What a deploy of a service would change on each host. */
  readonly serviceDifference: ReturnType<typeof openServiceDifference>;
  /** What the container engines of hosts have beside services. */
  readonly hostEngine: HostEngineClient;
  readonly serviceTemplates: ServiceTemplatesClient;
  /** What hosts and containers use. */
  readonly usage: UsageClient;
  /** Several lists and runs in one connection, until it ends. */
  watchMany(
    parts: readonly WatchPart[],
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<readonly StreamNews[], void>;
  /** Any other address of the API; retried like every call. */
  send(call: Call): Promise<Answer>;
  debug(topic: DebugTopic): Promise<readonly Readonly<Record<string, unknown>>[]>;
  applyMany(
    manifests: readonly BulkManifest[],
    options?: Pick<Mutation, "dryRun" | "reason" | "signal">,
  ): Promise<BulkResult[]>;
}

export function connect(options: ConnectOptions): Client {
  const wire = openWire(options);
  const read = async (path: string) => (await wire.send({ path })).body;
  let kinds: Promise<readonly KindInfo[]> | undefined;

  function listKinds(): Promise<readonly KindInfo[]> {
    kinds ??= read("/api/v1/kinds").then((body) => (body as { items: KindInfo[] }).items);
    // A failure is not an answer worth keeping.
    kinds.catch(() => {
      kinds = undefined;
    });
    return kinds;
  }

  return {
    url: wire.url,
    get token() {
      return wire.token;
    },
    ...openAccess(wire),
    ...openKeyAdmin(wire),
    ...openAuthorityAdmin(wire),
    audit: openAudit(wire),
    runs: openRuns(wire),
    schedules: openSchedules(wire),
    logs: openLogs(wire),
    terminals: openTerminals(wire),
    recordings: openRecordings(wire),
    serviceLogs: openServiceLogs(wire),
    repositoryFiles: openRepositoryFiles(wire),
    serviceDifference: openServiceDifference(wire),
    hostEngine: openHostEngine(wire),
    serviceTemplates: openServiceTemplates(wire),
    usage: openUsage(wire),
    kind: (kind: KindRef) => openCollection<never>(wire, kind),
    kinds: listKinds,
    async find(word) {
      const all = await listKinds();
      const found = all.find((kind) => answersTo(kind, word));
      if (found !== undefined) return found;
      throw new Fault("invalid", `there is no kind ${JSON.stringify(word)}`, {
        next: `the kinds are ${all.map((kind) => kind.plural).join(", ")}`,
      });
    },
    watchMany: (parts, { signal } = {}) => watchMany(wire, parts, signal),
    send: wire.send,
    server: async () => (await read("/api/v1/server")) as ServerInfo,
    debug: async (topic) =>
      ((await read(`/api/v1/debug/${topic}`)) as { items: Readonly<Record<string, unknown>>[] }).items,
    applyMany: (manifests, options) => applyMany(wire, manifests, options),
  };
}
