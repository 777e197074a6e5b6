import { spawn } from "node:child_process";

/** One call of Git. Nothing that lies on the host (settings, helpers, hooks, keys) has a say in it. */
export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** More output than this ends it. */
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/** Where a call happens, and what lets it in. */
export type GitPlace = Pick<GitCall, "cwd" | "env" | "signal">;

export class GitFailed extends Error {
  readonly exitCode: number | null;

  constructor(why: string, exitCode: number | null) {
    super(why);
    this.exitCode = exitCode;
  }
}

/** What Git may speak: never the host's own files, nor a program of the caller's choice. */
const protocols = ["https", "http", "ssh", "git"];

const settings = [
  "core.hooksPath=/dev/null",
  "core.symlinks=false",
  // What is larger is streamed to the disk instead of being held in memory.
  "core.bigFileThreshold=1m",
  "credential.helper=",
  // To another host, the password would go along.
  "http.followRedirects=false",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=30",
  // Always one file, whose growth can be watched.
  "fetch.unpackLimit=1",
  "fetch.recurseSubmodules=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.allow=never",
  ...protocols.map((name) => `protocol.${name}.allow=always`),
].flatMap((setting) => ["-c", setting]);

const noteBytes = 64 * 1024;

/** Its output; throws with Git's own last words. Ends with all that it has started when the signal says so. */
export function git({ args, cwd, env, stdin, mostBytes, signal }: GitCall): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn("git", [...settings, ...args], {
      cwd,
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        HOME: cwd,
        LANG: "C",
        // Else it would look for a repository in the folders above.
        GIT_DIR: cwd,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_ATTR_NOSYSTEM: "1",
        GIT_TERMINAL_PROMPT: "0",
        ...env,
      },
      // A group of its own: it starts others, and they must end with it.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    let bytes = 0;
    let notes = "";
    let ended: Error | undefined;
    const end = (error: Error) => {
      ended ??= error;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    };
    const abort = () => end(signal.reason as Error);
    signal.addEventListener("abort", abort);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes)
        end(new GitFailed(`git ${args[0]} has more to say than ${mostBytes} bytes`, null));
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (notes.length < noteBytes) notes += chunk.toString("utf8");
    });
    child.stdin.on("error", () => {});
    child.stdin.end(stdin ?? "");
    child.on("error", (error) => {
      signal.removeEventListener("abort", abort);
      reject(error);
    });
    child.on("close", (code) => {
      signal.removeEventListener("abort", abort);
      if (ended !== undefined) reject(ended);
      else if (code !== 0) reject(new GitFailed(lastWords(notes) || `git ended with ${code}`, code));
      else resolve(Buffer.concat(out));
    });
  });
}

/** Git says `fatal: …` at last, perhaps with the server's own words before it. */
function lastWords(notes: string): string {
  const lines = notes.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  const telling = lines.filter((line) =>
    /^(fatal|error|remote|ssh|Host key|No .*host key|.*: Permission denied)/.test(line),
  );
  return (telling.length > 0 ? telling : lines).slice(-3).join("; ").slice(0, 1000);
}
