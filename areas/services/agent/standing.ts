import type { Judgement, Wanted } from "@reeve/agent";
import type { ServiceOrder, ServiceSeen } from "../kinds/kept.ts";
import type { Container } from "./engine/container.ts";
import type { Expectations, Expected } from "./expected.ts";
import { stoppedOf } from "./overrides.ts";

/** The labels by which the keeper knows its own containers. */
export const serviceLabel = "reeve.service";
export const configLabel = "reeve.config";

export interface SeenService {
  /** The project on this host is this service's. */
  readonly owned: boolean;
  /** It is, and what runs there was there before Reeve: no generation has settled yet. */
  readonly adopting: boolean;
  /** The files in its folder are those of the generation. */
  readonly placed: boolean;
  readonly containers: readonly Container[];
  readonly at: number;
}

export type ServiceChange = "place" | "up" | "hold" | "rename" | "down" | "clear";

/** What a container is called that Compose was making anew when it was killed, before what it should be called. */
const halfway = /^[0-9a-f]{12}_/;

/** Without a health check, only time tells that a container does not end at once. */
const steadyMs = 3000;

const orderOf = (wanted: Wanted) => wanted.spec as unknown as ServiceOrder;

export function planFor(wanted: Wanted, seen: SeenService): ServiceChange[] {
  // What was only about to be adopted goes on as it did before.
  if (wanted.gone) return seen.owned ? (seen.adopting ? ["clear"] : ["down", "clear"]) : [];
  const changes: ServiceChange[] = seen.placed ? [] : ["place"];
  if (orderOf(wanted).state === "stopped") {
    if (seen.containers.length > 0) changes.push("down");
    return changes;
  }
  if (driftOf(wanted, seen) !== undefined) changes.push("up");
  else if (toHold(wanted, seen.containers).length > 0) changes.push("hold");
  else if (misnamed(seen.containers).length > 0) changes.push("rename");
  return changes;
}

/** Containers that were stopped through Reeve, and that somebody else has started: the engine does, with itself. */
export function toHold(wanted: Wanted, containers: readonly Container[]): Container[] {
  const stopped = stoppedOf(wanted);
  return containers.filter((one) => Object.hasOwn(stopped, one.name) && isUp(one));
}

/** Containers with the name that they should have. */
export function misnamed(containers: readonly Container[]): { id: string; name: string }[] {
  return containers
    .filter(({ name }) => halfway.test(name))
    .map(({ id, name }) => ({ id, name: name.replace(halfway, "") }));
}

/** What is not as the generation says; in words, for whoever asks why it was repaired. */
function driftOf(wanted: Wanted, { containers }: SeenService): string | undefined {
  const expected = wanted.prepared as unknown as Expectations;
  const stopped = stoppedOf(wanted);
  const ours = containers.filter(({ oneoff }) => !oneoff);
  const stranger = ours.find(({ service }) => !Object.hasOwn(expected, service));
  if (stranger !== undefined) return `${stranger.name} is of a service that is no more`;
  for (const [name, one] of Object.entries(expected)) {
    const there = ours.filter(({ service }) => service === name);
    const other = there.find((container) => !isOf(container, one, wanted.uid));
    if (other !== undefined) return `${other.name} is of another configuration`;
    if (there.length !== one.count) return `${there.length} of ${one.count} containers of ${name} are there`;
    const still = there.find(
      (container) => !isUp(container) && !isDone(container, one) && !Object.hasOwn(stopped, container.name),
    );
    if (still !== undefined) return `${still.name} ${wordsOf(still)}`;
  }
  return undefined;
}

function isOf(container: Container, one: Expected, uid: string): boolean {
  const { labels } = container;
  return (labels[configLabel] === one.config && labels[serviceLabel] === uid) || wasAdopted(container, one);
}

function wasAdopted({ labels, configHash }: Container, { adopted }: Expected): boolean {
  return adopted !== undefined && labels[serviceLabel] === undefined && configHash === adopted;
}

/** The services whose containers are to bear our labels: Compose would make those anew that were adopted without them. */
export function toLabel(expected: Expectations, containers: readonly Container[]): string[] {
  return Object.entries(expected).flatMap(([name, one]) => {
    const there = containers.filter(({ service, oneoff }) => service === name && !oneoff);
    const isWhole = there.length === one.count && there.every((container) => wasAdopted(container, one));
    return isWhole ? [] : [name];
  });
}

/** Docker itself starts one again that is restarting. */
function isUp({ state }: Container): boolean {
  return state === "running" || state === "restarting" || state === "paused";
}

function isDone({ state, exitCode }: Container, { task }: Expected): boolean {
  return task && state === "exited" && exitCode === 0;
}

function wordsOf({ state, exitCode, restarts }: Container): string {
  if (state === "exited") return `has ended with ${exitCode}`;
  if (state === "restarting") return `ends again and again, with ${exitCode}; restarted ${restarts} times`;
  return `is ${state}`;
}

export function judge(wanted: Wanted, seen: SeenService, steady = steadyMs): Judgement {
  if (wanted.gone) return seen.owned ? waiting("it is still there") : { ready: true };
  if (!seen.placed) return waiting("its files are not in place");
  if (orderOf(wanted).state === "stopped")
    return seen.containers.length === 0
      ? { ready: true }
      : waiting(`${seen.containers[0]?.name} is still there`);
  const expected = wanted.prepared as unknown as Expectations;
  const stopped = stoppedOf(wanted);
  for (const container of seen.containers) {
    const one = expected[container.service];
    const { name, state, health, restartPolicy, startedAt, restarts } = container;
    if (container.oneoff || one === undefined || isDone(container, one)) continue;
    if (Object.hasOwn(stopped, name)) {
      if (isUp(container)) return waiting(`${name} is not stopped yet`);
      continue;
    }
    if (health === "unhealthy") return { ready: false, why: `${name} is unhealthy`, final: true };
    const left = restartPolicy === "" || restartPolicy === "no";
    if (state === "exited" || state === "dead")
      return { ready: false, why: `${name} ${wordsOf(container)}`, final: left };
    if (state !== "running") return waiting(`${name} ${wordsOf(container)}`);
    if (health === "starting") return waiting(`${name} is not healthy yet`);
    const ranMs = seen.at - Date.parse(startedAt);
    // One that was restarted by itself has to show more.
    if (health === "none" && ranMs < (restarts > 0 ? 5 * steady : steady))
      return waiting(`${name} has only just begun`);
  }
  const drift = driftOf(wanted, seen);
  return drift === undefined ? { ready: true } : waiting(drift);
}

function waiting(why: string): Judgement {
  return { ready: false, why, final: false };
}

export function tellOf(wanted: Wanted, seen: SeenService): ServiceSeen {
  const judged = judge(wanted, seen, 0);
  const stopped = stoppedOf(wanted);
  const containers = seen.containers.map(
    ({ name, service, image, state, health, restarts, exitCode, startedAt, ports }) => ({
      name,
      service,
      image,
      state,
      health,
      restarts,
      ...(state === "exited" ? { exitCode } : {}),
      ...(startedAt === "" ? {} : { startedAt }),
      ports: [...ports],
      ...(stopped[name] === undefined ? {} : { stopped: stopped[name] }),
    }),
  );
  if (wanted.gone) return { state: seen.owned ? "degraded" : "absent", containers };
  const { state, revision, bundle } = orderOf(wanted);
  const expected = Object.values(wanted.prepared as unknown as Expectations);
  const count = state === "stopped" ? 0 : expected.reduce((sum, one) => sum + one.count, 0);
  const files = { wanted: count, bundle, ...(revision === undefined ? {} : { revision }) };
  const held = containers.find((one) => one.stopped !== undefined);
  if (judged.ready && held !== undefined)
    return {
      state: "degraded",
      why: `${held.name} was stopped by ${held.stopped?.by}`,
      ...files,
      containers,
    };
  if (judged.ready) return { state, ...files, containers };
  const starting = driftOf(wanted, seen) === undefined && !judged.final;
  return { state: starting ? "starting" : "degraded", why: judged.why, ...files, containers };
}
