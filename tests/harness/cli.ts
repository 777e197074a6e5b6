import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { bareEnvironment, type Running, root, run } from "./processes.ts";

/** The real command line with a home of its own, as one person at one machine has it. */
export interface Cli {
  readonly home: string;
  (args: readonly string[], options?: CliOptions): Promise<Said>;
  /** In the background, until ended. */
  start(args: readonly string[], options?: CliOptions): Running;
  /** The same in a terminal of this size: what it says is what it draws. */
  terminal(args: readonly string[], size: TerminalSize): Running;
}

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
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
  const launch = (
    command: string,
    args: readonly string[],
    { stdin, env, attended = false }: CliOptions & { readonly attended?: boolean },
  ) => {
    const running = run(command, args, {
      cwd: home,
      env: { ...bareEnvironment, HOME: home, TMPDIR: home, ...common, ...env },
      attended,
      ...(stdin === undefined ? {} : { stdin }),
    });
    bench.keep({ end: () => running.kill("SIGKILL"), killNow: () => running.kill("SIGKILL") });
    return running;
  };
  const start: Cli["start"] = (args, options = {}) => launch(process.execPath, [program, ...args], options);
  const terminal: Cli["terminal"] = (args, { rows, columns }) => {
    const words = [process.execPath, program, ...args].map((one) => `'${one}'`).join(" ");
    const command = `stty rows ${rows} columns ${columns}; exec ${words}`;
    const env = { TERM: "xterm" };
    return launch("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      env,
      attended: true,
    });
  };
  const call = async (args: readonly string[], options?: CliOptions): Promise<Said> => {
    const running = start(args, options);
    const { code } = await running.ended;
    return { code, stdout: running.stdout(), stderr: running.stderr() };
  };
  return Object.assign(call, { home, start, terminal });
}
