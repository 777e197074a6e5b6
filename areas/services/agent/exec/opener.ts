import { readFile } from "node:fs/promises";
import type { Line, Opener, WindowSize } from "@reeve/agent";
import type { Container } from "../engine/container.ts";
import type { Engine } from "../engine/engine.ts";
import type { Exec } from "../engine/exec.ts";
import { partsOf } from "../engine/frames.ts";
import type { OwnContainers } from "../own.ts";

interface Asked {
  /** The service's uid: only its own containers are entered. */
  readonly service: string;
  readonly container?: string;
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly size?: WindowSize;
}

/** A command in a container of a service. */
export function execOpener(engine: Engine, own: OwnContainers): Opener {
  return {
    name: "service-exec",
    async open(given, line) {
      const { service, container: name, command, tty, size } = given as unknown as Asked;
      const container = choose(
        (await own(service)).map((one) => one.container),
        name,
      );
      const exec = await engine.exec(container, { command, tty });
      if (size !== undefined && tty) await exec.resize(size).catch(() => undefined);
      const leave = () => void end(exec, container, tty);
      line.signal.addEventListener("abort", leave);
      if (line.signal.aborted) leave();
      void type(exec, tty, line);
      try {
        for await (const { stream, data } of partsOf(exec.stream, tty)) await line.show(data, stream);
      } catch {
        // Cut off, by the person or by the engine: how it ended is asked below.
      } finally {
        line.signal.removeEventListener("abort", leave);
      }
      const { exitCode } = await exec.look();
      return exitCode === undefined ? { why: "the command was cut off" } : { exitCode };
    },
  };
}

function choose(containers: readonly Container[], name: string | undefined): Container {
  const running = containers.filter(({ state }) => state === "running");
  const meant = running.filter((one) => name === undefined || one.name === name || one.service === name);
  const [first] = meant;
  if (first !== undefined) return first;
  const there = running.map((one) => one.name).join(", ") || "none";
  throw new Error(
    name === undefined
      ? "no container of this service runs on this host"
      : `no container ${name} of this service runs on this host; running: ${there}`,
  );
}

async function type({ stream, resize }: Exec, tty: boolean, { typed }: Line): Promise<void> {
  for await (const word of typed) {
    if (word.case === "size") {
      if (tty) await resize(word.value).catch(() => undefined);
    } else if (!stream.destroyed && !stream.write(word.value))
      await new Promise<void>((resolve) => {
        stream.once("drain", resolve).once("close", resolve);
      });
  }
  // With a terminal the end is typed, as Ctrl-D.
  if (!tty) stream.end();
}

/** Docker lets a command run on whose person has left: it is ended where its process can be reached, or asked to end. */
async function end({ stream, look }: Exec, { id }: Container, tty: boolean): Promise<void> {
  if (tty && !stream.destroyed) stream.write("\u0003\u0004");
  const { pid, exitCode } = await look().catch(() => ({ pid: 0, exitCode: undefined }));
  stream.destroy();
  if (exitCode !== undefined || pid === 0) return;
  // Its number may be another process's by now, or one in the engine's own namespace.
  const groups = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "");
  if (!groups.includes(id)) return;
  try {
    process.kill(pid, "SIGHUP");
    setTimeout(() => kill(pid, id), graceMs).unref();
  } catch {
    // It has just ended.
  }
}

const graceMs = 3000;

async function kill(pid: number, id: string): Promise<void> {
  const groups = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "");
  if (groups.includes(id)) process.kill(pid, "SIGKILL");
}
