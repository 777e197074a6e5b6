import type { ContainerLine } from "@reeve/model";
import { type Container, projectLabel, readContainer, readState } from "./container.ts";
import { type EventsHeard, hearEvents } from "./events.ts";
import { type Exec, type ExecAsked, startExec } from "./exec.ts";
import { followLog } from "./logs.ts";
import { type PullAsked, pullImage } from "./pull.ts";
import { type EngineSocket, openSocket } from "./socket.ts";
import { type EngineStorage, readStorage, removeStored } from "./storage.ts";

/** What is observed of a host's Docker. Asking throws `EngineAway` when it does not answer. */
export interface Engine {
  /** Every container of a Compose project, also those that do not run, by name. */
  containers(project: string): Promise<Container[]>;
  /**
   * Tells the project of what has changed, and undefined when anything may have: at first, and when the engine was found or
   * lost. Never throws; finds the engine again by itself.
   */
  watch(changed: (project: string | undefined) => void): { close(): void };
  /** Which engine it is: `Docker 20.10.24`, `Podman 4.3.1`. */
  version(): Promise<string>;
  hasImage(name: string): Promise<boolean>;
  /** Throws in the engine's words when it cannot be had. */
  pull(image: string, asked: PullAsked): Promise<void>;
  rename(container: string, name: string): Promise<void>;
  /** Every container with this label (`key` or `key=value`), also those that do not run, by name. */
  labelled(label: string): Promise<Container[]>;
  /** What a container has said after a time, and says until it ends. */
  followLog(
    container: Container,
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<ContainerLine[]>;
  exec(container: Container, asked: ExecAsked): Promise<Exec>;
  /** Takes as long as the container does. */
  stop(container: string): Promise<void>;
  restart(container: string): Promise<void>;
  /** Images, volumes and networks, and who uses them. */
  storage(): Promise<EngineStorage>;
  /** False when it is not there. Throws when it is in use. */
  remove(kind: "image" | "volume" | "network", id: string): Promise<boolean>;
  close(): void;
}

/** Changes come in clusters: one deploy makes a dozen. */
const clusterMs = 100;
/** Also what no event was heard of is looked at again after this long. */
const trustMs = 60_000;

export function openEngine(host = "unix:///var/run/docker.sock"): Engine {
  const socket = openSocket(host);
  const closing = new AbortController();
  const memory = openMemory(socket);
  const clusters = new Set<Cluster>();
  const tell = (project: string | undefined) => {
    for (const cluster of clusters) cluster.add(project);
  };
  const heard: EventsHeard = {
    connected() {
      memory.trust(true);
      tell(undefined);
    },
    event(container, project) {
      memory.forget(container);
      tell(project);
    },
    lost() {
      memory.trust(false);
      tell(undefined);
    },
  };
  let hears = false;

  async function labelled(label: string): Promise<Container[]> {
    const filters = { label: [label] };
    const listed = await socket.ask("/containers/json", { query: { all: "1", filters } });
    const found = await Promise.all((listed as Listed[]).map(memory.look));
    return found.filter((one) => one !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async function waitFor(path: string): Promise<void> {
    const answer = await socket.stream(path, { method: "POST" });
    answer.resume();
    if (answer.statusCode === 404) throw new Error("the container is gone");
  }

  return {
    containers: (project) => labelled(`${projectLabel}=${project}`),
    labelled,
    followLog: (container, after, signal) => followLog(socket, container, after, signal),
    exec: (container, asked) => startExec(socket, container.id, asked),
    watch(changed) {
      const cluster = openCluster(changed);
      clusters.add(cluster);
      // One stream of events for whoever watches, from the first on.
      if (!hears) void hearEvents(socket, heard, closing.signal);
      hears = true;
      cluster.add(undefined);
      return {
        close() {
          clusters.delete(cluster);
          cluster.close();
        },
      };
    },
    async version() {
      const told = (await socket.ask("/version")) as { Version?: string; Components?: { Name?: string }[] };
      const isPodman = told.Components?.some(({ Name }) => Name?.startsWith("Podman"));
      return `${isPodman ? "Podman" : "Docker"} ${told.Version ?? ""}`.trim();
    },
    async hasImage(name) {
      const path = name.split("/").map(encodeURIComponent).join("/");
      return (await socket.ask(`/images/${path}/json`)) !== undefined;
    },
    pull: (image, asked) => pullImage(socket, image, asked),
    stop: (container) => waitFor(`/containers/${container}/stop`),
    restart: (container) => waitFor(`/containers/${container}/restart`),
    storage: () => readStorage(socket),
    remove: (kind, id) => removeStored(socket, kind, id),
    async rename(container, name) {
      await socket.ask(`/containers/${container}/rename`, { method: "POST", query: { name } });
    },
    close() {
      closing.abort();
      for (const cluster of clusters) cluster.close();
      socket.close();
    },
  };
}

interface Listed {
  Id: string;
  State: string;
}

/** Each container is looked at closely once, and again when an event told of it; without events, each time. */
function openMemory(socket: EngineSocket) {
  const known = new Map<string, { container: Container; until: number }>();
  let trusted = false;
  let forgotten = 0;
  return {
    async look({ Id, State }: Listed): Promise<Container | undefined> {
      const last = known.get(Id);
      if (last && last.until > Date.now() && last.container.state === readState(State)) return last.container;
      const before = forgotten;
      const body = await socket.ask(`/containers/${Id}/json`);
      if (body === undefined) return undefined;
      const container = readContainer(body);
      // What was told of while we looked may be newer than what we saw.
      if (trusted && before === forgotten) known.set(Id, { container, until: Date.now() + trustMs });
      return container;
    },
    forget(id: string): void {
      forgotten++;
      known.delete(id);
    },
    trust(now: boolean): void {
      trusted = now;
      forgotten++;
      known.clear();
    },
  };
}

type Cluster = ReturnType<typeof openCluster>;

function openCluster(changed: (project: string | undefined) => void) {
  const waiting = new Set<string | undefined>();
  let timer: NodeJS.Timeout | undefined;
  return {
    add(project: string | undefined): void {
      waiting.add(project);
      timer ??= setTimeout(() => {
        timer = undefined;
        const all = waiting.has(undefined) ? [undefined] : [...waiting];
        waiting.clear();
        for (const one of all) changed(one);
      }, clusterMs);
    },
    close: () => clearTimeout(timer),
  };
}
