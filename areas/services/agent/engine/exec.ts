import type { Duplex } from "node:stream";
import type { WindowSize } from "@reeve/agent";
import type { EngineSocket } from "./socket.ts";

export interface ExecAsked {
  readonly command: readonly string[];
  readonly tty: boolean;
}

/** A command in a container, with its three streams in one. */
export interface Exec {
  readonly stream: Duplex;
  resize(size: WindowSize): Promise<void>;
  /** How it is by now: its exit code once it has ended, and its process on the host until then. */
  look(): Promise<{ readonly exitCode: number | undefined; readonly pid: number }>;
}

export async function startExec(
  socket: EngineSocket,
  container: string,
  { command, tty }: ExecAsked,
): Promise<Exec> {
  const made = (await socket.ask(`/containers/${container}/exec`, {
    method: "POST",
    body: {
      ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: tty, Cmd: command },
      ...(tty ? { Env: ["TERM=xterm-256color"] } : {}),
    },
  })) as { Id: string } | undefined;
  if (made === undefined) throw new Error("the container is gone");
  const path = `/exec/${made.Id}`;
  const stream = await socket.hijack(`${path}/start`, { Detach: false, Tty: tty });
  return {
    stream,
    async resize({ rows, columns }) {
      await socket.ask(`${path}/resize`, { method: "POST", query: { h: String(rows), w: String(columns) } });
    },
    async look() {
      const seen = (await socket.ask(`${path}/json`)) as
        | { Running: boolean; ExitCode: number | null; Pid: number }
        | undefined;
      return { exitCode: seen?.Running ? undefined : (seen?.ExitCode ?? undefined), pid: seen?.Pid ?? 0 };
    },
  };
}
