import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { enrol } from "../../../core/agent/link/enrol.ts";
import type { Identity } from "../../../core/agent/link/identity.ts";
import { type Link, openLink } from "../../../core/agent/link/link.ts";
import { HostFactsSchema } from "../../../core/protocol/index.ts";
import type { Load } from "../measure/generator.ts";

export type AgentsAsk = { readonly do: "connect" } | { readonly do: "hold"; readonly seconds: number };

export interface AgentsResult {
  readonly connected: number;
  /** How often a link was lost, for whatever reason. */
  readonly lost: number;
  readonly reasons: readonly string[];
}

const slots = 8;
const enrolling = 8;
const dialling = 32;
const lookMs = 250;

/**
 * Agents that have nothing but a link: the agent's own code, an identity and a TLS connection each. They have room and could do
 * something, as agents mostly do; nobody gives them anything.
 */
export const agents: Load<{ url: string; token: string; count: number }, AgentsAsk, AgentsResult> = async ({
  url,
  token,
  count,
}) => {
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
  const reasons: string[] = [];
  const connected = () => links.filter((link) => link.connected).length;

  async function connect(): Promise<void> {
    await inLanes(dialling, identities.length, async (index) => {
      const link = openLink({
        identity: identities[index] as Identity,
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
          usageHeard() {},
        },
        log(text) {
          if (!text.startsWith("connected")) reasons.push(text);
        },
      });
      links.push(link);
      while (!link.connected) await sleep(5);
    });
  }

  return async (ask) => {
    const before = reasons.length;
    if (ask.do === "connect") await connect();
    else
      for (const until = performance.now() + ask.seconds * 1000; performance.now() < until; )
        await sleep(lookMs);
    const seen = reasons.slice(before);
    return { connected: connected(), lost: seen.length, reasons: [...new Set(seen)].slice(0, 5) };
  };
};

async function inLanes(lanes: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
