import { fork } from "node:child_process";
import { basename } from "node:path";
import type { Premises } from "../measure/premises.ts";

/** A process of plain JavaScript that answers `{ ask, input }` with `{ result }` or `{ problem }`, one at a time. */
export interface AskedProcess {
  readonly pid: number;
  ask<Result>(question: string, input: unknown): Promise<Result>;
  end(): Promise<void>;
}

export function startAsked(
  premises: Premises,
  file: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): AskedProcess {
  const name = basename(file, ".mjs");
  const child = fork(file, [], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    // What a peer does with its own libraries is not our news.
    execArgv: ["--no-deprecation", ...flags],
  });
  premises.lastly(() => child.kill("SIGKILL"));
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const gone = exited.then((): never => {
    throw new Error(`${name} ended too soon; its reason is above`);
  });
  gone.catch(() => {});
  return {
    pid: child.pid as number,
    async ask<Result>(question: string, input: unknown) {
      const reply = new Promise<{ result: Result } | { problem: string }>((done) =>
        child.once("message", (message) => done(message as never)),
      );
      child.send({ ask: question, input });
      const answer = await Promise.race([reply, gone]);
      if ("problem" in answer) throw new Error(`${name}: ${answer.problem}`);
      return answer.result;
    },
    end: premises.ending(async () => {
      child.kill("SIGKILL");
      await exited;
    }),
  };
}
