import {
  type AgentRead,
  countHeld,
  frontOfQueue,
  limitHolders,
  type RunRead,
  readAgents,
  readQueues,
  type StepRead,
} from "@reeve/store/runs";
import type { Tools } from "../controller.ts";
import { agentsFor, list, type QueueFacts, takers } from "./waiting.ts";

/** What waiting steps wait for; read when somebody asks, for all steps of a page together. */
export interface WaitFacts {
  /** By queue and step. */
  ready(step: StepRead): QueueFacts | undefined;
  /** Who holds what a step or the run itself waits for, in words. */
  holders(key: string): string;
}

/** Facts about agents may be this old: thousands of followers must not read them again each. */
const agentsMs = 2000;
const frontMost = 1000;
/** Beyond so many agents, what they hold is not counted for the sake of words. */
const countedMost = 200;
const holdersMost = 4;

export type FactsReader = (run: RunRead, steps: readonly StepRead[]) => Promise<WaitFacts>;

export function openFacts(tools: Pick<Tools, "database">): FactsReader {
  let agents: { readonly at: number; readonly list: Promise<AgentRead[]> } | undefined;
  function agentsNow(): Promise<AgentRead[]> {
    if (agents === undefined || performance.now() - agents.at > agentsMs) {
      const list = readAgents(tools.database);
      list.catch(() => {
        agents = undefined;
      });
      agents = { at: performance.now(), list };
    }
    return agents.list;
  }

  async function queueFacts(run: string, steps: readonly StepRead[]): Promise<Map<number, QueueFacts>> {
    const facts = new Map<number, QueueFacts>();
    const ready = steps.filter((step) => step.state === "ready");
    if (ready.length === 0) return facts;
    const everybody = await agentsNow();
    for (const queue of await readQueues(tools.database, [...new Set(ready.map((step) => step.queue))])) {
      const taking = takers(agentsFor(queue, everybody));
      const countable = taking.length > 0 && taking.length <= countedMost;
      const uids = taking.map(({ uid }) => uid);
      const held = countable ? await countHeld(tools.database, uids) : undefined;
      const front = await frontOfQueue(tools.database, queue.id, frontMost);
      const places = new Map(front.flatMap((key, at) => (key.run === run ? [[key.seq, at] as const] : [])));
      for (const { seq } of ready.filter((step) => step.queue === queue.id))
        facts.set(seq, { queue, agents: everybody, held, before: places.get(seq) });
    }
    return facts;
  }

  async function holderWords(key: string, of: "runs" | "steps"): Promise<string> {
    const holders = await limitHolders(tools.database, key, of, holdersMost);
    return list(holders.map(({ run, name }) => `${name} ${run.slice(-8)}`));
  }

  return async ({ run, limitKey }, steps) => {
    const facts = await queueFacts(run.id, steps);
    const keys = new Set(steps.flatMap((step) => (step.reason === "limit" ? (step.limitKey ?? []) : [])));
    const words = new Map<string, string>();
    for (const key of keys) words.set(key, await holderWords(key, "steps"));
    if (run.state === "queued" && limitKey !== null) words.set(limitKey, await holderWords(limitKey, "runs"));
    return { ready: ({ seq }) => facts.get(seq), holders: (key) => words.get(key) ?? "" };
  };
}
