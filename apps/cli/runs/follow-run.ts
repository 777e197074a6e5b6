import { hasEnded, type Run, type Step } from "@reeve/model";
import type { CliDesk } from "../desk.ts";
import { printable } from "../output/width.ts";
import { openLiveTree } from "./live-tree.ts";
import { headOf, stateWords } from "./words.ts";

/** Shows a run until it has ended: a tree that is drawn anew on a terminal, a line for each change in a pipe. */
export async function followRun(desk: CliDesk, id: string): Promise<Run> {
  const client = await desk.client();
  const view = desk.terminal.live === undefined ? plainView(desk) : openLiveTree(desk.terminal.live);
  let last: Run | undefined;
  try {
    for await (const news of client.runs.follow(id, {
      onLost: (fault) => view.lost(`${fault.message}; connecting again`),
    })) {
      if ("run" in news) last = news.run;
      if ("run" in news) view.run(news.run);
      else if ("step" in news) view.step(news.step);
      else view.synced();
    }
  } finally {
    view.end();
  }
  return last ?? client.runs.get(id);
}

/** Waits without a word until the run has ended. */
export async function awaitRun(desk: CliDesk, id: string): Promise<Run> {
  const client = await desk.client();
  let last: Run | undefined;
  for await (const news of client.runs.follow(id, {
    onLost: (fault) => desk.progress(`${fault.message}; connecting again`),
  }))
    if ("run" in news) {
      last = news.run;
      desk.progress(headOf(last, Date.now()));
    }
  desk.progress("");
  return last ?? client.runs.get(id);
}

export interface RunView {
  run(run: Run): void;
  step(step: Step): void;
  synced(): void;
  lost(words: string): void;
  end(): void;
}

function plainView(desk: CliDesk): RunView {
  const told = new Map<string, string>();
  const tell = (key: string, state: string, why: string, time: string | undefined) => {
    if (told.get(key) === state) return;
    told.set(key, state);
    const at = (time ?? new Date().toISOString()).slice(11, 19);
    desk.out(`${printable([at, key, state, why].filter((part) => part !== "").join("  "))}\n`);
  };
  return {
    run: (run) =>
      tell(
        `run ${run.about.name}`,
        stateWords(run),
        hasEnded(run.state) ? run.why : "",
        run.endedAt ?? run.startedAt,
      ),
    step(step) {
      if (step.state === "blocked" || step.state === "due" || step.state === "offered") return;
      const on = step.state === "running" && step.host !== undefined ? `on ${step.host}` : step.why;
      tell(
        step.name,
        step.state,
        on,
        step.endedAt ?? (step.state === "running" ? step.startedAt : undefined),
      );
    },
    synced() {},
    lost: (words) => desk.say(words),
    end() {},
  };
}
