import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nightlyBackup } from "@reeve/backup/control";
import {
  agentDoor,
  connectDoor,
  isLoopback,
  type Log,
  listen,
  openGate,
  openLimiter,
  openMetrics,
  openPeers,
  openReadiness,
  openTurns,
  type Peers,
  provide,
  refusedCredentials,
  restDoor,
  startControl,
  terminalDoor,
  watchHurry,
} from "@reeve/control";
import { homeToken } from "@reeve/hosts/control";
import { newUid } from "@reeve/model";
import type { Database, Installation } from "@reeve/store";
import { openAgentFiles } from "./agent-files.ts";
import { openAreas, registry, roles } from "./areas.ts";
import { readBackupSettings } from "./backup-settings.ts";
import { type Config, splitAddress } from "./config.ts";
import { openConsoleFiles } from "./console-files.ts";
import { startHomeAgent } from "./home-agent.ts";
import { readKeys } from "./keys.ts";
import { openStorage } from "./storage-settings.ts";
import { readTls } from "./tls.ts";

export interface Server {
  readonly url: string;
  /** Readiness first; after the time to drain the port, then what is under way, then the rest. */
  stop(): Promise<void>;
}

const graceMs = 10_000;
/** An installation that waits for its first agent must be able to let one join. */
const joinTokenPaths = /^\/api\/v1\/(organizations\/[^/]+\/(projects\/[^/]+\/)?)?jointokens(\/|$)/;

/** Puts a replica together: core, then doors, then the ports. */
export async function startServer(
  config: Config,
  database: Database,
  installation: Installation,
  version: string,
  log: Log,
): Promise<Server> {
  const replica = { name: config.replica, session: newUid() };
  const tls = readTls(config);
  const keys = await readKeys(config, database);
  const address = splitAddress(config.listen);
  const works = config.roles.includes("work");
  const scheme = tls === undefined ? "http" : "https";
  const shownHost = isLoopback(address.host) ? "localhost" : address.host;
  let url = config.publicUrl ?? `${scheme}://${shownHost}:${address.port}`;
  let stopping = false;
  let peers: Peers | undefined;

  const control = await startControl({
    database,
    keys,
    registry,
    roles,
    areas: openAreas({
      backup: await readBackupSettings(config, version),
      notifyNetworks: config.notifyNetworks,
      data: config.data,
    }),
    replica,
    works,
    agentLeaseMs: config.agentLeaseSeconds * 1000,
    ...(config.logArchiveTo !== undefined && {
      logArchive: {
        storage: openStorage("logArchive", config.logArchiveTo, config),
        days: config.logArchiveDays,
      },
    }),
    logBytesPerSecond: config.logMegabytesPerSecond * 1024 ** 2,
    retention: {
      changesDays: config.keepChangesDays,
      eventsDays: config.keepEventsDays,
      auditDays: config.keepAuditDays,
      generations: config.keepGenerations,
      deletedDays: config.keepDeletedDays,
      runsDays: config.keepRunsDays,
      recordingsDays: config.keepRecordingsDays,
      recordingsBytes: config.keepRecordingsMegabytes * 1024 ** 2,
      logs: {
        days: config.keepLogsDays,
        bytesOfDefinition: config.keepLogsMegabytes * 1024 ** 2,
        archived: config.logArchiveTo !== undefined,
      },
    },
    recordTerminals: config.recordTerminals,
    auditHeads: auditHeadsOf(config),
    log,
    publicUrl: () => url,
    tellPeers: (wake) => peers?.wake(wake),
    dialPeer: async (...dial) => peers?.dial(...dial),
  });
  // What has begun would keep the process alive, without a port and without a database.
  const giveUp = async (error: unknown): Promise<never> => {
    await peers?.close();
    await control.stop();
    throw error;
  };
  if (works && config.backupTo !== undefined && config.backupNightly === "on")
    await provide(control.context, nightlyBackup, "backups have a storage").catch(giveUp);
  const metrics = openMetrics(() => ({
    lane: control.context.lane,
    database,
    watchers: () => control.context.hub.watchers,
    loop: () => control.loop?.figures,
    runs: () => control.context.runs.figures,
    logs: () => control.context.logs.figures,
  }));
  const limiter = openLimiter(metrics.limited);
  const recordRefused = refusedCredentials(control.context.lane);
  const agents = agentDoor(control, {
    limiter,
    perMinute: config.anonymousPerMinute,
    recordRefused,
    proxied: config.agentProxies.length > 0,
  });
  peers = await openPeers({
    database,
    me: replica,
    roles: config.roles,
    version,
    listen: splitAddress(config.agentListen),
    peerAddress: config.peerAddress,
    proxies: config.agentProxies,
    authority: control.context.authority,
    services: config.roles.includes("agents") ? [agents] : [],
    onWake: control.wake,
    openTunnel: control.context.tunnels.openHere,
    onReplaced() {
      log.error(
        { replica: replica.name },
        "another server has taken this replica's name; stopping. Give each its own REEVE_REPLICA",
      );
      process.kill(process.pid, "SIGTERM");
    },
    log,
  }).catch(giveUp);
  const gate = openGate({
    identity: control.context.identity,
    limiter,
    publicUrl: url,
    trustedProxies: config.trustedProxies,
    turns: openTurns(() => metrics.limited("at once")),
    limits: config,
    readsAtOnce: Math.ceil(database.connections * 0.75),
    recordRefused,
  });
  const readiness = openReadiness(database, config.readyReplicas, log);
  const app = await restDoor({
    context: control.context,
    routes: control.routes,
    gate,
    readiness,
    openPaths: joinTokenPaths,
    limiter,
    metrics,
    serves: config.roles.includes("api"),
    secure: url.startsWith("https:"),
    agentFiles: openAgentFiles({
      version,
      publicUrl: config.publicUrl,
      secure: tls !== undefined,
      agentUrls: config.agentUrl,
      agentPort: () => peers?.port ?? 0,
    }),
    consoleFiles: openConsoleFiles(),
    health: {
      notReady: () => [
        ...(stopping ? ["the server is stopping"] : []),
        ...readiness.reasons(),
        ...(database.awaySince ? [`the database cannot be reached since ${database.awaySince}`] : []),
      ],
    },
    about: {
      version,
      timeline: installation.timeline,
      replica,
      roles: config.roles,
      startedAt: new Date().toISOString(),
      links: () => peers?.links() ?? [],
    },
  }).catch(giveUp);
  const connect = connectDoor(control.context, {
    arrive: async (...call) => {
      readiness.check();
      return gate.arrive(...call);
    },
  });
  const serves = config.roles.includes("api");
  const terminals = terminalDoor(control.context, { gate, readiness, publicUrl: () => url });
  const hurry = watchHurry(control.hurry);
  const listener = await listen({
    ...address,
    setting: "REEVE_LISTEN",
    tls,
    proxies: config.trustedProxies,
    handler(request, response) {
      if (serves) hurry.asked();
      const call = serves && request.url?.startsWith("/reeve.v1.");
      if (!call) return app.routing(request, response);
      const startedAt = performance.now();
      const answered = () =>
        metrics.answered("POST", "/reeve.v1.*", response.statusCode, performance.now() - startedAt);
      response.once("close", answered);
      connect(request, response);
    },
    upgrade: serves ? terminals : (_, socket) => void socket.destroy(),
  }).catch(giveUp);
  url = config.publicUrl ?? `${scheme}://${shownHost}:${listener.port}`;
  if (config.tlsSelfMade && tls)
    log.info({ certificate: tls.file }, "self-made certificate: give this file to `reeve login --ca`");
  const home =
    config.homeAgent === "on" && config.roles.includes("agents")
      ? startHomeAgent({
          folder: join(config.dataFolder, "agent"),
          name: replica.name,
          url: ownAgentUrl(config, peers.port),
          token: () => homeToken(control.context, replica.name),
          log,
        })
      : undefined;
  return {
    url,
    async stop() {
      stopping = true;
      // A load balancer that sends somebody here has not asked yet whether it still should.
      if (config.drainSeconds > 0) await sleep(config.drainSeconds * 1000);
      await home?.stop();
      readiness.close();
      control.context.hub.close();
      await listener.close(graceMs);
      hurry.stop();
      await control.stop();
      await peers?.close();
    },
  };
}

/** How an agent on this machine reaches us. */
function ownAgentUrl(config: Config, port: number): string {
  const { host } = splitAddress(config.agentListen);
  if (host === "0.0.0.0" || host === "::") return `https://localhost:${port}`;
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function auditHeadsOf({ auditHeadsFile: file, auditHeadsWebhook: url, auditHeadsSecret: secret }: Config) {
  return { file, webhook: url !== undefined && secret !== undefined ? { url, secret } : undefined };
}
