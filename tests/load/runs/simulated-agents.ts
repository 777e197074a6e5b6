import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { enrol } from "../../../core/agent/link/enrol.ts";
import type { Identity } from "../../../core/agent/link/identity.ts";
import { type Link, openLink } from "../../../core/agent/link/link.ts";
import { type SamplingOptions, startSampling } from "../../../core/agent/usage/sampling.ts";
import { HostFactsSchema } from "../../../core/protocol/index.ts";
import type { Load } from "../measure/generator.ts";
import { type SimulatedServices, simulateServices } from "../services/simulated-services.ts";

export type AgentsAsk =
  | { readonly do: "connect" }
  /** They keep these services from now on, by their own uid. */
  | { readonly do: "keep"; readonly services: Readonly<Record<string, readonly string[]>> }
  /** Meanwhile this share of their containers changes between two beats. */
  | { readonly do: "hold"; readonly seconds: number; readonly share?: number };

export interface AgentsResult {
  readonly connected: number;
  /** How often a link was lost, for whatever reason. */
  readonly lost: number;
  readonly reasons: readonly string[];
  /** How many services they told as changed. */
  readonly told: number;
}

const slots = 8;
const enrolling = 8;
const dialling = 32;
const lookMs = 250;
const turnsOfBeat = 5000 / lookMs;

/**
 * Agents that have nothing but a link: the agent's own code, an identity and a TLS connection each. They have room and could do
 * something, as agents mostly do; nobody gives them anything.
 */
export const agents: Load<
  { url: string; token: string; count: number; containers?: number },
  AgentsAsk,
  AgentsResult
> = async ({ url, token, count, containers = 0 }) => {
  const facts = create(HostFactsSchema, {
    hostname: "simulated",
    os: "linux",
    arch: "x64",
    executors: ["noop"],
  });
  const identities: Identity[] = [];
  await inLanes(enrolling, count, async () => {
    const name = `sim-${randomUUID()}`;
    identities.push(await enrol({ urls: [url], token, name, labels: {}, facts }));
  });
  const links: Link[] = [];
  const uids: string[] = [];
  let kept: readonly SimulatedServices[] = [];
  const reasons: string[] = [];
  const connected = () => links.filter((link) => link.connected).length;

  async function connect(): Promise<void> {
    await inLanes(dialling, identities.length, async (index) => {
      const identity = identities[index] as Identity;
      const sampling =
        containers > 0
          ? startSampling(busyHost(identity.uid, containers, (usage) => link.usage(usage)))
          : undefined;
      const link: Link = openLink({
        identity,
        keep: async () => {},
        facts,
        slots,
        ear: {
          inventory: () => [],
          freeSlots: () => slots,
          status: () => ({ load: 0.5, cpuBusy: 0.1, attempts: 0 }),
          welcome() {},
          offers() {},
          verdicts() {},
          stops() {},
          dial() {},
          usageHeard: ({ from, samples }) => from && sampling?.heard(timestampMs(from), samples),
        },
        log(text) {
          if (!text.startsWith("connected")) reasons.push(text);
        },
      });
      links.push(link);
      uids.push(identity.uid);
      while (!link.connected) await sleep(5);
    });
  }

  return async (ask) => {
    const before = reasons.length;
    let told = 0;
    if (ask.do === "connect") await connect();
    else if (ask.do === "keep")
      kept = links.map((link, at) => simulateServices(link, ask.services[uids[at] ?? ""] ?? []));
    else
      for (let turn = 0; turn * lookMs < ask.seconds * 1000; turn++) {
        // Each has its own moment between two beats, as real ones do.
        const due = kept.filter((_, index) => (index - turn) % turnsOfBeat === 0);
        for (const one of due) told += one.turn(ask.share ?? 0);
        await sleep(lookMs);
      }
    const seen = reasons.slice(before);
    return { connected: connected(), lost: seen.length, reasons: [...new Set(seen)].slice(0, 5), told };
  };
};

/** What a host with so many containers, each a service of its own, would tell: figures that move all the time. */
function busyHost(uid: string, containers: number, send: SamplingOptions["send"]): SamplingOptions {
  const sinceMs = Date.now();
  const reading = () => ({
    ...{ id: uid, sinceMs, memoryBytes: 100_000_000 + Math.floor(Math.random() * 2 ** 20) },
    ...{ cpuMs: (Date.now() - sinceMs) / 10, diskReadBytes: 0, diskWrittenBytes: Date.now() * 10 },
    ...{ networkInBytes: Date.now() * 3, networkOutBytes: Date.now() * 5 },
  });
  const kept = Array.from({ length: containers }, (_, at) => ({
    uid: `${uid.slice(0, 24)}${at.toString(16).padStart(12, "0")}`,
    name: `service-${at}-web-1`,
  }));
  return {
    uid,
    host: reading,
    kept: async () => kept.map((one) => ({ ...one, ...reading() })),
    send,
    log() {},
  };
}

async function inLanes(lanes: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
