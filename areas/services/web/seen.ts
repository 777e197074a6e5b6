import type { ResourceOf } from "@reeve/model";
import type { Instance, Service, ServiceSpec } from "../kinds/index.ts";

export type ServiceResource = ResourceOf<typeof Service>;
export type Container = Instance["containers"][number];

interface Count {
  readonly running: number;
  readonly seen: number;
  readonly wanted: number;
}

/** How many containers do their work, how many there are, and how many there should be, as far as agents have said so. */
export function countContainers(instances: readonly Instance[]): Count {
  const all = instances.flatMap(({ containers }) => containers);
  return {
    running: all.filter(({ state }) => state === "running").length,
    seen: all.length,
    wanted: instances.reduce((sum, { wanted, containers }) => sum + (wanted ?? containers.length), 0),
  };
}

const worstFirst = ["unhealthy", "starting", "healthy"] as const;

/** The worst that a health check says; undefined when there is none, or nothing that could be checked. */
export function healthOf(instances: readonly Instance[]): (typeof worstFirst)[number] | undefined {
  const found = new Set(instances.flatMap(({ containers }) => containers.map(({ health }) => health)));
  return worstFirst.find((health) => found.has(health));
}

/** `8001->80/tcp`: what is open on every address is told once, without one. */
export function portsText(ports: readonly string[]): string {
  return [...new Set(ports.map((port) => port.replace(/^(0\.0\.0\.0|\[::\]|::):/, "")))].join(", ");
}

/** What a host keeps for now is judged when its trial is over. */
export function instanceStateOf({ state, generation, trying }: Instance): string {
  const isTried = trying !== undefined && trying !== generation;
  return isTried && state === "degraded" ? "changing" : state;
}

/** `web-1, web-2 and every host with zone=a`. */
export function hostsText({ names = [], labels }: ServiceSpec["hosts"]): string {
  const all = [names.join(", "), labels === undefined ? "" : `every host with ${labels}`];
  return all.filter((part) => part !== "").join(" and ");
}

interface Difference {
  readonly key: string;
  /** `failed` when somebody has to see to it, `waiting` when it is for somebody to decide. */
  readonly level: "failed" | "waiting";
  readonly title: string;
  readonly text: string;
  /** The run that tells more. */
  readonly run?: string;
}

/** Where what is differs from what is wanted, the worst first; nothing while a run is changing it. */
export function differencesOf({ metadata, status }: ServiceResource, isChanging: boolean): Difference[] {
  if (isChanging || metadata.deletingAt !== undefined) return [];
  const { name, generation } = metadata;
  const { instances = [], deployed, run, conditions = [] } = status;
  const told = conditions.find(({ type }) => type === "Deployed");
  const seen = instances.filter(({ state }) => state === "degraded" || state === "unknown");
  return [
    ...(told?.status === "false" && run !== undefined
      ? [
          {
            key: "deploy",
            level: "failed" as const,
            title: `The latest deploy of ${name} failed`,
            text: told.message,
            run,
          },
        ]
      : []),
    ...seen.map(({ host, state, why = "" }) => ({
      key: `host ${host}`,
      level: "failed" as const,
      title:
        state === "unknown"
          ? `Nobody knows how ${name} is on ${host}`
          : `${name} is not as wanted on ${host}`,
      text: why,
    })),
    ...(deployed !== undefined && deployed !== generation && told?.status === "true"
      ? [
          {
            key: "generation",
            level: "waiting" as const,
            title: `Generation ${generation} of ${name} is not deployed`,
            text: `Its hosts keep generation ${deployed}.`,
          },
        ]
      : []),
  ];
}
