import type { Resource, Run, Scope, Step } from "@reeve/model";
import type { AgentNow, AuditQuery, AuditRecord, HeldStep, RunQuery, WatchPart } from "@reeve/sdk";
import type { Gathering } from "./watched.ts";

type ListPart = Extract<WatchPart, { kind: string }>;

/** The resources of a list, by scope and name. It resumes from the revision it was told last. */
export function gatherList(part: ListPart): Gathering<readonly Resource[]> {
  const shelf = openShelf<Resource>();
  let place: number | undefined;
  return {
    part: () => ({ ...part, since: place }),
    startOver() {
      place = undefined;
      shelf.startOver();
    },
    take(news) {
      if ("resource" in news) {
        const { scope, name } = news.resource.metadata;
        if (news.event === "removed") shelf.remove(`${scope} ${name}`);
        else shelf.put(`${scope} ${name}`, news.resource);
      }
      if (news.event === "synced") shelf.complete();
      if ("revision" in news && (place !== undefined || news.event === "synced")) place = news.revision;
    },
    value: shelf.items,
  };
}

/** The newest runs that fit, newest first. Its server keeps no place: a new connection tells it all again. */
export function gatherRuns(runs: RunQuery, limit: number): Gathering<readonly Run[]> {
  const shelf = openShelf<Run>((a, b) => (a.id < b.id ? 1 : -1));
  return {
    part: () => ({ runs, limit }),
    startOver: shelf.startOver,
    take(news) {
      if (news.event === "run") shelf.put(news.run.id, news.run);
      if (news.event === "removed" && "key" in news) shelf.remove(news.key);
      if (news.event === "synced") shelf.complete();
    },
    value: shelf.items,
  };
}

export interface RunWithSteps {
  readonly run: Run | undefined;
  /** In the order of the graph; items of fan-outs follow. */
  readonly steps: readonly Step[];
}

export function gatherRun(id: string): Gathering<RunWithSteps> {
  const shelf = openShelf<Step>((a, b) => a.seq - b.seq);
  let run: Run | undefined;
  let shown: RunWithSteps = { run, steps: shelf.items() };
  return {
    part: () => ({ run: id }),
    startOver: shelf.startOver,
    take(news) {
      if (news.event === "run") run = news.run;
      if (news.event === "step") shelf.put(String(news.step.seq), news.step);
      if (news.event === "removed" && "key" in news) shelf.remove(news.key);
      if (news.event === "synced") shelf.complete();
    },
    value() {
      if (shown.run !== run || shown.steps !== shelf.items()) shown = { run, steps: shelf.items() };
      return shown;
    },
  };
}

/** The newest records of the audit that fit, newest first. */
export function gatherAudit(audit: AuditQuery, limit: number): Gathering<readonly AuditRecord[]> {
  const shelf = openShelf<AuditRecord>((a, b) => b.revision - a.revision);
  return {
    part: () => ({ audit, limit }),
    startOver: shelf.startOver,
    take(news) {
      // One that is no longer among the newest stays in view: nothing is ever taken out of the audit.
      if (news.event === "record") shelf.put(String(news.record.revision), news.record);
      if (news.event === "synced") shelf.complete();
    },
    value: shelf.items,
  };
}

/** What is known of the agents at a scope and below it at this moment, by the uid of their host. */
export function gatherAgents(scope: Scope): Gathering<ReadonlyMap<string, AgentNow>> {
  const shelf = openShelf<AgentNow>();
  let list: readonly AgentNow[] = [];
  let byHost: ReadonlyMap<string, AgentNow> = new Map();
  return {
    part: () => ({ agents: { scope } }),
    startOver: shelf.startOver,
    take(news) {
      if (news.event === "agent") shelf.put(news.agent.uid, news.agent);
      if (news.event === "removed" && "key" in news) shelf.remove(news.key);
      if (news.event === "synced") shelf.complete();
    },
    value() {
      if (list !== shelf.items()) {
        list = shelf.items();
        byHost = new Map(list.map((agent) => [agent.uid, agent]));
      }
      return byHost;
    },
  };
}

/** The steps that a host holds. */
export function gatherWork(host: {
  readonly scope: Scope;
  readonly name: string;
}): Gathering<readonly HeldStep[]> {
  const shelf = openShelf<HeldStep>();
  return {
    part: () => ({ work: host }),
    startOver: shelf.startOver,
    take(news) {
      if (news.event === "held") shelf.put(`${news.held.run} ${news.held.seq}`, news.held);
      if (news.event === "removed" && "key" in news) shelf.remove(news.key);
      if (news.event === "synced") shelf.complete();
    },
    value: shelf.items,
  };
}

/** When it was heard last what a host or a service uses; undefined while nothing is heard. */
export function gatherUsage(usage: {
  readonly kind: string;
  readonly scope: Scope;
  readonly name: string;
}): Gathering<string | undefined> {
  const shelf = openShelf<string>();
  return {
    part: () => ({ usage }),
    startOver: shelf.startOver,
    take(news) {
      if (news.event === "usage") shelf.put("usage", news.at);
      if (news.event === "removed" && "key" in news) shelf.remove(news.key);
      if (news.event === "synced") shelf.complete();
    },
    value: () => shelf.items()[0],
  };
}

/** Things by key. While everything is told anew, the old ones stay in view until the last is there. */
function openShelf<T>(order?: (a: T, b: T) => number) {
  let things = new Map<string, T>();
  let coming: Map<string, T> | undefined;
  let list: readonly T[] | undefined = [];
  const current = () => coming ?? things;
  const change = () => {
    if (coming === undefined) list = undefined;
  };
  return {
    startOver() {
      coming = new Map();
    },
    put(key: string, thing: T) {
      current().set(key, thing);
      change();
    },
    remove(key: string) {
      current().delete(key);
      change();
    },
    complete() {
      if (coming === undefined) return;
      things = coming;
      coming = undefined;
      list = undefined;
    },
    items(): readonly T[] {
      list ??= order === undefined ? [...things.values()] : [...things.values()].sort(order);
      return list;
    },
  };
}
