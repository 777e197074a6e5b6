import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@reeve/control";
import type { HomeToken } from "@reeve/hosts/control";
import { homeAgentEnvironment } from "./config.ts";

export interface HomeAgentOptions {
  readonly folder: string;
  /** The host's name: the replica's. */
  readonly name: string;
  /** Of our own agents' port. */
  readonly url: string;
  readonly token: () => Promise<HomeToken>;
  readonly log: Log;
}

export interface HomeAgent {
  /** Its steps go on, and are taken back by the next start. */
  stop(): Promise<void>;
}

const program = join(import.meta.dirname, "../agent/main.js");
const exitCodes = { revoked: 3, replaced: 4 };
const firstDelayMs = 500;
const mostDelayMs = 30_000;
const steadyMs = 60_000;
const stopMs = 10_000;

/**
 * The agent that the server starts beside itself, so that the first workflow has where to run. A process like any other agent,
 * joined with a token like any other; it is started again when it dies, and joins again when its identity is gone.
 */
export function startHomeAgent(options: HomeAgentOptions): HomeAgent {
  const { folder, name, url, log } = options;
  const identity = join(folder, "identity.json");
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  /** Runs to its end; resolves to the exit code, which is null after a signal. */
  function run(args: readonly string[], input?: string): Promise<number | null> {
    const started = spawn(process.execPath, ["--max-semi-space-size=4", program, ...args], {
      stdio: ["pipe", "ignore", "pipe"],
      env: homeAgentEnvironment(),
      // Ctrl-C at our terminal is for us; the agent is told by its leash.
      detached: true,
    });
    child = started;
    started.stdin.on("error", () => {});
    if (input !== undefined) started.stdin.end(input);
    createInterface({ input: started.stderr }).on("line", (line) => log.info({ host: name }, line));
    return new Promise((resolve, reject) => {
      started.on("error", reject);
      started.on("close", resolve);
    });
  }

  function notWithdrawn(error: unknown): void {
    log.warn({ err: error, host: name }, "the home agent's join token could not be taken back; it expires");
  }

  async function once(): Promise<number | null> {
    if (!existsSync(identity)) {
      const token = await options.token();
      const joined = await run(
        ["join", url, "--token", "-", "--name", name, "--data", folder],
        token.text,
      ).finally(() => token.withdraw().catch(notWithdrawn));
      if (joined !== 0 || stopping.signal.aborted) return joined;
    }
    // Our port may be another one than when it joined.
    return run(["run", "--leash", "--url", url, "--data", folder]);
  }

  async function keepRunning(): Promise<void> {
    let delayMs = firstDelayMs;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const code = await once().catch((error: unknown) => {
        log.warn({ err: error, host: name }, "the home agent could not be started");
        return null;
      });
      if (stopping.signal.aborted) return;
      if (code === exitCodes.replaced) {
        log.error(
          { host: name },
          "another process runs as this server's home agent; it is not started again",
        );
        return;
      }
      if (code === exitCodes.revoked) rmSync(identity, { force: true });
      delayMs = performance.now() - startedAt > steadyMs ? firstDelayMs : Math.min(2 * delayMs, mostDelayMs);
      log.warn({ host: name, code }, "the home agent has ended; starting it again");
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const running = keepRunning();
  return {
    async stop() {
      stopping.abort();
      child?.kill("SIGTERM");
      const impatient = setTimeout(() => child?.kill("SIGKILL"), stopMs);
      await running;
      clearTimeout(impatient);
    },
  };
}
