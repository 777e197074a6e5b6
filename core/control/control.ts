import { type Keyring, openAtRest } from "@reeve/keys";
import { builtinRoles, Fault, type Kind, kindRegistry, type Registry, type Role } from "@reeve/model";
import { openRuns, type RunHooks } from "@reeve/runs";
import {
  corePlaces,
  coreSealed,
  type Database,
  dataKeyRetention,
  type Lane,
  openLane,
  type Retention,
  retentionRules,
  scopeKeyRetention,
} from "@reeve/store";
import { allHooks, controllersOf, theOne } from "./areas.ts";
import { openAuditKeeper } from "./audit/keeper.ts";
import type { HeadsOut } from "./audit/publish.ts";
import { openAuthority } from "./authority/authority.ts";
import { startForgettingAuthorities } from "./authority/rotation.ts";
import { authorityRoutes } from "./authority/routes.ts";
import type { Context } from "./context.ts";
import type { ControlArea, Log, Tools } from "./controller.ts";
import type { Enrolment } from "./doors/agents/enrolment.ts";
import { type AgentLinks, openAgentLinks } from "./doors/agents/links.ts";
import type { Whom } from "./guard/identity.ts";
import { followAtRest, startAtRest } from "./keys/at-rest.ts";
import { startRotating } from "./keys/rotating.ts";
import { keyRoutes } from "./keys/routes.ts";
import { type ArchiveOptions, openLogArchive } from "./logs/archive.ts";
import { openLogs } from "./logs/logs.ts";
import { logRoutes } from "./logs/routes.ts";
import { followAgents } from "./reconcile/follow-agents.ts";
import { type Leases, openLeases } from "./reconcile/leases.ts";
import { type Loop, startLoop } from "./reconcile/loop.ts";
import { startRetention } from "./retention.ts";
import type { AreaRoute } from "./route.ts";
import { openLive } from "./runs/live.ts";
import { makeForStep } from "./runs/make.ts";
import { runRoutes } from "./runs/routes.ts";
import { recordingRoutes } from "./terminals/recording-routes.ts";
import { type DialPeer, openTunnels } from "./tunnels/tunnels.ts";
import { startFolding } from "./usage/fold.ts";
import { openUsageIn, type UsageIn } from "./usage/receive.ts";
import { usageRoutes } from "./usage/routes.ts";
import { openHub } from "./watch/hub.ts";
import { openTail } from "./watch/tail.ts";

/** What a replica tells its peers after a commit. */
export interface Wake {
  readonly buckets: readonly number[];
  readonly revision: number;
  /** Subjects whose sessions have changed. */
  readonly forget: readonly string[];
  /** Something of runs may be to do. */
  readonly runs: boolean;
  /** Runs with new output. */
  readonly output: readonly string[];
  /** People wait here: output of agents must not take what they need. */
  readonly hurried: boolean;
}

export interface ControlOptions {
  readonly database: Database;
  readonly keys: Keyring;
  readonly registry: Registry;
  readonly roles: Readonly<Record<string, Role>>;
  readonly areas: readonly ControlArea[];
  readonly replica: { readonly name: string; readonly session: string };
  /** Whether this replica reconciles. */
  readonly works: boolean;
  /** How long an agent may be silent before what it does is given to others. */
  readonly agentLeaseMs: number;
  /** How much output is taken from one agent. */
  readonly logBytesPerSecond: number;
  readonly logArchive?: ArchiveOptions;
  readonly retention: Retention;
  /** Whether every terminal is recorded; else those of the organizations that say so. */
  readonly recordTerminals: boolean;
  /** Where signed heads of the audit are handed out. */
  readonly auditHeads: HeadsOut;
  readonly log: Log;
  readonly publicUrl: () => string;
  /** Tells the other replicas. */
  readonly tellPeers?: (wake: Wake) => void;
  /** Asks another replica for a tunnel to an agent that is connected there. */
  readonly dialPeer?: DialPeer;
}

/** The running core of a replica: everything but its doors. */
export interface Control {
  readonly context: Context;
  readonly routes: readonly AreaRoute[];
  readonly leases: Leases;
  readonly loop: Loop | undefined;
  readonly enrolment: Enrolment;
  /** The agents that are connected to this replica. */
  readonly links: AgentLinks;
  /** A file of an area for an agent that may have it. */
  file(agent: string, name: string): Promise<Buffer>;
  /** An agent has seen something new of what it keeps. Others find it by their sweep. */
  observed(): void;
  /** What agents tell of what is used on their hosts. */
  readonly usage: UsageIn;
  /** A peer has committed something. */
  wake(wake: Wake): void;
  /** People wait for answers of this replica. */
  hurry(): void;
  stop(): Promise<void>;
}

export function describeModel(kinds: readonly Kind[]): {
  registry: Registry;
  roles: Readonly<Record<string, Role>>;
} {
  return { registry: kindRegistry(kinds), roles: builtinRoles(kinds) };
}

export async function startControl(options: ControlOptions): Promise<Control> {
  const { database, keys, registry, roles, areas, log } = options;
  const controllers = controllersOf(areas, registry);
  const reconciled = new Set([...controllers.values()].filter((one) => one.reconcile).map((one) => one.kind));
  const authority = await openAuthority(database, keys);
  const atRest = openAtRest(database, keys);
  const following = await followAtRest(database, atRest, log);
  let loop: Loop | undefined;
  const lane: Lane = openLane({
    database,
    registry,
    reconciled,
    onListenerFailure: (error) =>
      log.error({ err: error }, "a commit could not be told; sweeps will find it"),
    onCommit(committed) {
      // At once, also when the tail must first read what others committed before: the answer is about to be sent.
      forget(identity.concerned(committed.changes));
      tail.committed(committed);
      if (committed.wokenBuckets.length > 0) loop?.wake();
      const ran = runs.committed();
      if (ran) live.wake();
      const { wokenBuckets: buckets, revision } = committed;
      options.tellPeers?.({ ...noWake, buckets, revision, runs: ran });
    },
  });
  const hooks: { -readonly [Hook in keyof RunHooks]?: RunHooks[Hook] } = {};
  const runs = openRuns({
    database,
    replica: options.replica.name,
    works: options.works,
    leaseMs: options.agentLeaseMs,
    quotas: registry.limiting?.name,
    hooks: allHooks(hooks),
    log,
    tellPeers: () => options.tellPeers?.({ ...noWake, runs: true }),
  });
  const live = openLive(database, log);
  const tools: Tools = {
    registry,
    roles,
    database,
    lane,
    keys,
    runs,
    authority,
    log,
    publicUrl: options.publicUrl,
    recordTerminals: options.recordTerminals,
    forget(subjectUids) {
      forget(new Set(subjectUids));
      options.tellPeers?.({ ...noWake, forget: subjectUids });
    },
  };
  for (const area of areas) Object.assign(hooks, area.runHooks?.(tools));
  const identity = theOne(areas, "identity")(tools);
  const forget = (whom: Whom) => {
    if (whom !== "everybody" && whom.size === 0) return;
    identity.forget(whom);
    hub.recheck(whom);
  };
  const links = openAgentLinks(database, authority, log);
  const tail = await openTail(database, log, (changes, position) => {
    // First, so that whoever lost a right is not told what was written with or after its loss.
    forget(identity.concerned(changes));
    hub.publish(changes, position);
    following.changed(changes);
    links.changed(changes.map((change) => change.uid));
  });
  const hub = openHub(registry, tail.position);
  const audit = openAuditKeeper(database, keys, options.auditHeads, log);
  const overseers = areas.flatMap((area) => area.overseer ?? []);
  const afterLooks = areas.flatMap((area) => area.afterLook?.(tools) ?? []);
  const archive = options.logArchive && openLogArchive(database, options.logArchive, log);
  const logs = openLogs(
    database,
    {
      bytesPerSecond: options.logBytesPerSecond,
      // What a definition may keep, one run of it may have.
      bytesOfRun: options.retention.logs.bytesOfDefinition,
    },
    log,
    (output) => options.tellPeers?.({ ...noWake, output }),
    archive,
  );
  const tunnels = openTunnels(database, options.replica.name, links, options.dialPeer);
  const parts = { controllers, overseers, afterLooks, identity, hub, audit, logs, tunnels };
  const context: Context = { ...tools, ...parts };
  hooks.make = makeForStep(context);
  const usage = openUsageIn(database, log);
  const leases = openLeases(database, options.replica);
  if (options.works) loop = startLoop(context, leases, options.replica.name);
  const sealed = [...coreSealed, ...areas.flatMap((area) => area.sealed ?? [])];
  const { auditDays, deletedDays, runsDays, recordingsDays } = options.retention;
  const rules = [
    ...retentionRules(options.retention),
    audit.retention(auditDays),
    scopeKeyRetention(sealed),
    dataKeyRetention(
      Math.max(auditDays, deletedDays, runsDays, recordingsDays, options.logArchive?.days ?? 0),
    ),
    ...areas.flatMap((area) => area.retention ?? []),
  ];
  const stopFollowing = options.works ? followAgents(database, () => loop?.wake(), log) : () => {};
  const stopFolding = options.works ? startFolding(database, leases, log) : async () => {};
  const stopRetention = options.works ? startRetention(database, leases, rules, log) : () => {};
  const stopArchiving = (options.works && archive?.start(leases)) || (() => {});
  const stopRotating = options.works ? startRotating(database, leases, keys, sealed, log) : async () => {};
  const places = [...corePlaces(registry), ...areas.flatMap((area) => area.atRest ?? [])];
  const stopAtRest = options.works ? startAtRest(database, leases, atRest, places, log) : async () => {};
  const enrolment = theOne(areas, "enrolment")(tools);
  const files = areas.flatMap((area) => area.files?.(tools) ?? []);
  const stopForgetting = options.works
    ? startForgettingAuthorities(tools, enrolment, leases)
    : async () => {};
  const stopSealing = options.works ? audit.start(leases) : async () => {};
  const stopAreas = options.works ? areas.map((area) => area.start?.(context)) : [];
  return {
    context,
    routes: [
      ...keyRoutes(tools, keys, sealed),
      ...authorityRoutes(tools, enrolment),
      ...runRoutes(context, live),
      ...logRoutes(context),
      ...usageRoutes(context),
      ...recordingRoutes(context),
      ...areas.flatMap((area) => area.routes?.(context) ?? []),
    ],
    async file(agent, name) {
      for (const find of files) {
        const found = find(agent, name);
        if (found !== undefined) return found;
      }
      throw new Fault("not_found", "there is no such file");
    },
    observed: () => loop?.wake(),
    usage,
    leases,
    loop,
    enrolment,
    links,
    wake({ buckets, revision, forget: subjectUids, runs: ran, output, hurried }) {
      logs.news.written(new Set(output));
      if (hurried) logs.hurry();
      if (revision === 0 && subjectUids.length === 0 && !ran) return;
      forget(new Set(subjectUids));
      tail.wake();
      if (buckets.length > 0) loop?.wake();
      if (!ran) return;
      runs.heard();
      live.wake();
    },
    hurry() {
      logs.hurry();
      options.tellPeers?.({ ...noWake, hurried: true });
    },
    async stop() {
      links.close();
      await usage.stop();
      stopFollowing();
      await Promise.all(stopAreas.map((stop) => stop?.()));
      stopRetention();
      stopArchiving();
      live.stop();
      await runs.stop();
      await stopSealing();
      await stopRotating();
      await stopAtRest();
      await stopFolding();
      await stopForgetting();
      await loop?.stop();
      await lane.drained();
      logs.stop();
      await tail.stop();
      await following.stop();
    },
  };
}

const noWake: Wake = { buckets: [], revision: 0, forget: [], runs: false, output: [], hurried: false };
