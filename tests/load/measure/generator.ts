import { fork } from "node:child_process";
import { join } from "node:path";
import type { Loads } from "./generator-main.ts";
import type { Premises } from "./premises.ts";

/**
 * A load generator in a process of its own: it opens its connections once, then makes load for a window at a time, so
 * that what it computes is not counted as the server's and not done by the one who keeps the time.
 */
export interface Generator<Window, Result> {
  readonly pid: number;
  window(input: Window): Promise<Result>;
  end(): Promise<void>;
}

/** What a load offers: opened once, then run in windows. */
export type Load<Opening, Window, Result> = (opening: Opening) => Promise<(input: Window) => Promise<Result>>;

type OpeningOf<Name extends keyof Loads> = Parameters<Loads[Name]>[0];
type RunOf<Name extends keyof Loads> = Awaited<ReturnType<Loads[Name]>>;

export type Message =
  | { readonly load: keyof Loads; readonly opening: unknown }
  | { readonly window: unknown };
export type Reply = { readonly result: unknown } | { readonly problem: string };

export async function startGenerator<Name extends keyof Loads>(
  premises: Premises,
  load: Name,
  opening: OpeningOf<Name>,
): Promise<Generator<Parameters<RunOf<Name>>[0], Awaited<ReturnType<RunOf<Name>>>>> {
  const child = fork(join(import.meta.dirname, "generator-main.ts"), [], {
    serialization: "advanced",
    execArgv: [],
  });
  // Asked after its end, it cannot be told anything: that is told by its exit.
  child.on("error", () => {});
  premises.lastly(() => child.kill("SIGKILL"));
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const ended = exited.then((): never => {
    throw new Error(`the generator of ${load} ended too soon`);
  });
  ended.catch(() => {});

  async function ask(message: Message): Promise<unknown> {
    const reply = new Promise<Reply>((done) => child.once("message", (message) => done(message as Reply)));
    child.send(message);
    const answer = await Promise.race([reply, ended]);
    if ("problem" in answer) throw new Error(`${load}: ${answer.problem}`);
    return answer.result;
  }
  const end = premises.ending(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  await ask({ load, opening });
  return {
    pid: child.pid as number,
    window: (input) => ask({ window: input }) as never,
    end,
  };
}
