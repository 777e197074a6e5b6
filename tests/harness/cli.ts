import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { bareEnvironment, type Running, root, run } from "./processes.ts";

/** The real command line with a home of its own, as one person at one machine has it. */
export interface Cli {
  readonly home: string;
  (args: readonly string[], options?: CliOptions): Promise<Said>;
  /** In the background, until ended. */
  start(args: readonly string[], options?: CliOptions): Running;
}

export interface CliOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const program = join(root, "apps", "cli", "reeve.mjs");

export function openCli(bench: Bench, common: Readonly<Record<string, string>> = {}): Cli {
  const home = bench.folder();
  const start: Cli["start"] = (args, { stdin, env } = {}) => {
    const running = run(process.execPath, [program, ...args], {
      cwd: home,
      env: { ...bareEnvironment, HOME: home, TMPDIR: home, ...common, ...env },
      ...(stdin === undefined ? {} : { stdin }),
    });
    bench.keep({ end: () => running.kill("SIGKILL"), killNow: () => running.kill("SIGKILL") });
    return running;
  };
  const call = async (args: readonly string[], options?: CliOptions): Promise<Said> => {
    const running = start(args, options);
    const { code } = await running.ended;
    return { code, stdout: running.stdout(), stderr: running.stderr() };
  };
  return Object.assign(call, { home, start });
}
