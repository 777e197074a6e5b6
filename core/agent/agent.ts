import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { openAttempts } from "./attempts/attempts.ts";
import { watchDisk } from "./disk.ts";
import type { Executor } from "./executor.ts";
import { hostFacts, openHostLook } from "./facts.ts";
import { keeperExecutors } from "./keepers/executors.ts";
import type { Keeper } from "./keepers/keeper.ts";
import { type Observation, openKeeping } from "./keepers/keeping.ts";
import type { Identity } from "./link/identity.ts";
import { type Link, type LinkEnd, openLink } from "./link/link.ts";
import { openShipping, type ShippingLimits } from "./logs/shipping.ts";
import { openSpool } from "./spool/spool.ts";
import type { Opener } from "./tunnels/opener.ts";
import { openTunnels } from "./tunnels/tunnels.ts";
import { readHost } from "./usage/host.ts";
import { startSampling } from "./usage/sampling.ts";
import { openWork } from "./work.ts";

export interface AgentOptions {
  /** Nobody else's: the spool, and what attempts leave. */
  readonly folder: string;
  readonly identity: Identity;
  readonly keepIdentity: (identity: Identity) => Promise<void>;
  readonly executors: readonly Executor[];
  readonly keepers?: readonly Keeper[];
  readonly openers?: readonly Opener[];
  readonly slots: number;
  readonly logLimits?: Partial<ShippingLimits>;
  readonly version: string;
  readonly log: (text: string) => void;
}

export interface Agent {
  /** Resolves when the control plane wants this agent no more, or `stop` was called. */
  readonly ended: Promise<LinkEnd>;
  /** Attempts run on under their shims, and are taken back by the next process. */
  stop(): Promise<void>;
}

const tendMs = 500;

/** Puts an agent together: what the disk remembers first, then what runs, then the link. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { folder, log } = options;
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const keepers = await availableOf(options.keepers ?? []);
  const capabilities = (await Promise.all(keepers.map((keeper) => keeper.capabilities?.() ?? []))).flat();
  const disk = await watchDisk(folder);
  const spool = await openSpool(join(folder, "spool"));
  const look = openHostLook();
  let link: Link | undefined;
  const linked = (): Link => {
    if (link === undefined) throw new Error("the link is not open yet");
    return link;
  };
  const keeping = await openKeeping({
    folder,
    keepers,
    fetch: (name, signal) => linked().fetch(name, signal),
    report: (observations) => link?.observe(observations.map(observationOf)),
    log,
  });
  const executors = await availableOf([...options.executors, ...keeperExecutors(keepers, keeping)]);
  const attempts = openAttempts({
    folder,
    executors,
    slots: options.slots,
    onEnd: (key, ending) => work.ended(key, ending),
  });
  const shipping = openShipping({
    stream: (requests, signal) => linked().openLogs(requests, signal),
    holdBack: (key, held) => attempts.hold(key, held),
    ...(options.logLimits && { limits: options.logLimits }),
  });
  const sampling = startSampling({
    uid: options.identity.uid,
    host: () => readHost(disk.bytes - disk.freeBytes),
    kept: async () => (await Promise.all(keepers.map((keeper) => keeper.usage?.() ?? []))).flat(),
    send: (usage) => link?.usage(usage),
    log,
  });
  const work = openWork({ spool, attempts, shipping, disk, slots: options.slots, link: linked });
  const tunnels = openTunnels(
    options.openers ?? [],
    (words, signal) => linked().openTunnel(words, signal),
    log,
  );
  await work.resume();
  // Nothing is waited for in between: what was taken back may end at any time, and is told through the link.
  link = openLink({
    identity: options.identity,
    keep: options.keepIdentity,
    facts: hostFacts(
      options.version,
      executors.map(({ name }) => name),
      capabilities,
    ),
    slots: options.slots,
    log,
    leaseFile: attempts.leaseFile,
    ear: {
      ...work,
      dial: tunnels.dial,
      welcome(welcome) {
        work.welcome(welcome);
        linked().observe(keeping.told().map(observationOf), keeping.kept());
      },
      usageHeard: ({ from, samples }) => from && sampling.heard(timestampMs(from), samples),
      status: () => ({
        ...look(),
        diskBytes: BigInt(disk.bytes),
        diskFreeBytes: BigInt(disk.freeBytes),
        attempts: attempts.held().length,
        troubles: troubles(),
      }),
    },
  });
  /** Without a connection nothing can be shipped: that alone is no trouble. */
  function troubles(): string[] {
    const { unshippedBytes, trouble } = shipping.figures;
    return [disk.trouble ?? "", unshippedBytes > 0 ? trouble : ""].filter((text) => text !== "");
  }
  const tending = setInterval(() => work.tend(), tendMs);

  const ended = link.ended.then(async (end) => {
    // Whatever still runs here does so for nobody: the control plane has given it to others.
    if (end.reason !== "stopped") await work.stopAll(end.why);
    return end;
  });
  async function close(): Promise<void> {
    await tunnels.close();
    await work.leave();
    linked().stop();
    await ended;
    clearInterval(tending);
    sampling.stop();
    await keeping.close();
    disk.close();
    await shipping.stop();
    await attempts.close();
    await spool.close();
  }
  let closing: Promise<void> | undefined;
  return { ended, stop: () => (closing ??= close()) };
}

async function availableOf<One extends Pick<Executor, "available">>(all: readonly One[]): Promise<One[]> {
  const there = await Promise.all(all.map((one) => one.available()));
  return all.filter((_, at) => there[at]);
}

function observationOf({ uid, seen }: Observation) {
  return { uid, seen: JSON.stringify(seen) };
}
