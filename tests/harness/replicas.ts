import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/** A replica that keeps its name, its address and its folder over restarts, as a unit of systemd does. */
export interface Replica {
  readonly name: string;
  readonly url: string;
  readonly agentPort: number;
  readonly server: ServerProcess;
  /** kill -9, unless it is dead already. */
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** SIGSTOP and SIGCONT: alive, but not there. */
  pause(): void;
  resume(): void;
}

export async function startReplica(
  bench: Bench,
  name: string,
  databaseUrl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Replica> {
  const [port, agentPort] = [await freePort(), await freePort()];
  const data = join(bench.folder(), "data");
  const settings = {
    REEVE_DATABASE_URL: databaseUrl,
    REEVE_REPLICA: name,
    REEVE_LISTEN: `127.0.0.1:${port}`,
    REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}`,
    ...more,
  };
  let server = await startServer(bench, { data, settings });
  return {
    name,
    url: server.url,
    agentPort,
    get server() {
      return server;
    },
    async crash() {
      if (!server.hasEnded()) await server.crash();
    },
    async start() {
      server = await startServer(bench, { data, settings });
    },
    async stop() {
      const { code } = await server.stop();
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${server.stderr()}`);
    },
    pause: () => server.kill("SIGSTOP"),
    resume: () => server.kill("SIGCONT"),
  };
}

/** Below those that the kernel gives to connections and to who asks for any, so that it is free also later, and over a restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer();
    const listens = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!listens) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
