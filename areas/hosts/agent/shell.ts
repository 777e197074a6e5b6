import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Line, Opener, WindowSize } from "@reeve/agent";

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const usualSize: WindowSize = { rows: 24, columns: 80 };
const lookMs = 20;
const mostLooks = 250;

/**
 * A shell of the agent's own user. `script` gives it a terminal, whose size `stty` sets: both are on every Linux, where a native
 * module would have to be built for each.
 */
export const shellOpener: Opener = {
  name: "host-shell",
  async open(asked, line) {
    const child = spawn(
      "script",
      ["--quiet", "--flush", "--return", "--command", "exec $SHELL -l", "/dev/null"],
      {
        cwd: "/",
        env: {
          HOME: userInfo().homedir,
          LANG: "C.UTF-8",
          PATH: path,
          SHELL: shellOf(),
          TERM: "xterm-256color",
        },
        // Its own group: it ends as one.
        detached: true,
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    const leave = () => hangUp(child);
    line.signal.addEventListener("abort", leave);
    const ended = once(child, "exit") as Promise<[number | null]>;
    try {
      await once(child, "spawn").catch((error: Error) => {
        throw new Error(`this host cannot give a shell a terminal: ${error.message}`);
      });
      const terminal = await terminalOf(child);
      await resize(terminal, (asked as { size?: WindowSize }).size ?? usualSize, ["echo"]);
      void type(child, terminal, line);
      for await (const data of child.stdout ?? []) await line.show(data as Buffer);
      const [exitCode] = await ended;
      return exitCode === null ? { why: "the shell was ended" } : { exitCode };
    } finally {
      line.signal.removeEventListener("abort", leave);
      leave();
    }
  },
};

function shellOf(): string {
  const own = userInfo().shell ?? "";
  return (
    [own, "/bin/bash"].find((file) => file !== "" && existsSync(file) && !/nologin|false/.test(file)) ??
    "/bin/sh"
  );
}

/** The terminal of the shell that `script` has started, once it has. */
async function terminalOf({ pid, exitCode }: ChildProcess): Promise<string> {
  for (let look = 0; look < mostLooks && exitCode === null; look++) {
    try {
      const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
      const terminal = readlinkSync(`/proc/${first}/fd/0`);
      if (terminal.startsWith("/dev/pts/")) return terminal;
    } catch {
      // Not yet.
    }
    await sleep(lookMs);
  }
  throw new Error("the shell did not start");
}

async function resize(terminal: string, { rows, columns }: WindowSize, more: string[] = []): Promise<void> {
  const args = ["-F", terminal, "rows", String(rows), "columns", String(columns), ...more];
  const stty = spawn("stty", args, { env: { PATH: path }, stdio: "ignore" });
  await once(stty, "exit").catch(() => undefined);
}

async function type({ stdin }: ChildProcess, terminal: string, { typed }: Line): Promise<void> {
  stdin?.on("error", () => undefined);
  for await (const word of typed)
    if (word.case === "size") await resize(terminal, word.value);
    else if (stdin?.writable && !stdin.write(word.value))
      await Promise.race([once(stdin, "drain"), once(stdin, "close")]).catch(() => undefined);
}

/** The terminal goes with `script`; whatever runs in it hears of it as of a line that was hung up. */
function hangUp({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
