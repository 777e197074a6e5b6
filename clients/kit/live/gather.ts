import type { Resource, Run, Step } from "@reeve/model";
import type { RunQuery, WatchPart } from "@reeve/sdk";
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
