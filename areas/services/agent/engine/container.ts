export interface Container {
  readonly id: string;
  readonly name: string;
  /** Of Compose, as are the next three. */
  readonly project: string;
  readonly service: string;
  readonly configHash: string;
  /** Made by `run` and not by `up`. */
  readonly oneoff: boolean;
  readonly image: string;
  readonly imageId: string;
  readonly state: "created" | "running" | "paused" | "restarting" | "removing" | "exited" | "dead";
  readonly health: "none" | "starting" | "healthy" | "unhealthy";
  readonly exitCode: number;
  readonly restarts: number;
  readonly restartPolicy: string;
  /** Empty when it never was. */
  readonly startedAt: string;
  /** Published ones, `0.0.0.0:8080->80/tcp`. */
  readonly ports: readonly string[];
  /** Whether it has a terminal, to which it writes as one stream. */
  readonly tty: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

export const projectLabel = "com.docker.compose.project";

/** The part of the engine's answer that is read. */
interface Inspected {
  Id: string;
  Name: string;
  Image: string;
  RestartCount?: number;
  State: {
    Status: string;
    ExitCode?: number;
    StartedAt?: string;
    Health?: { Status?: string } | null;
    /** Podman before 4. */
    Healthcheck?: { Status?: string } | null;
  };
  Config: { Image: string; Tty?: boolean; Labels?: Record<string, string> | null };
  HostConfig?: { RestartPolicy?: { Name?: string } };
  NetworkSettings?: { Ports?: Record<string, { HostIp: string; HostPort: string }[] | null> | null };
}

export function readContainer(body: unknown): Container {
  const { Id, Name, Image, RestartCount, State, Config, HostConfig, NetworkSettings } = body as Inspected;
  const labels = Config.Labels ?? {};
  return {
    id: Id,
    name: Name.replace(/^\//, ""),
    project: labels[projectLabel] ?? "",
    service: labels["com.docker.compose.service"] ?? "",
    configHash: labels["com.docker.compose.config-hash"] ?? "",
    oneoff: labels["com.docker.compose.oneoff"] === "True",
    image: Config.Image,
    imageId: Image,
    state: readState(State.Status),
    health: readHealth((State.Health ?? State.Healthcheck)?.Status),
    exitCode: State.ExitCode ?? 0,
    restarts: RestartCount ?? 0,
    restartPolicy: HostConfig?.RestartPolicy?.Name ?? "",
    startedAt: readTime(State.StartedAt),
    ports: readPorts(NetworkSettings?.Ports ?? {}),
    tty: Config.Tty ?? false,
    labels,
  };
}

/** Podman has words of its own for what Docker calls created and exited. */
export function readState(status: string): Container["state"] {
  switch (status) {
    case "running":
    case "paused":
    case "restarting":
    case "removing":
    case "exited":
    case "dead":
      return status;
    case "stopping":
      return "running";
    case "stopped":
      return "exited";
    default:
      return "created";
  }
}

function readHealth(status: string | undefined): Container["health"] {
  return status === "starting" || status === "healthy" || status === "unhealthy" ? status : "none";
}

/** What never happened has a time in the year 1. */
function readTime(text = ""): string {
  const time = new Date(text);
  return time.getTime() > 0 ? time.toISOString() : "";
}

function readPorts(ports: NonNullable<NonNullable<Inspected["NetworkSettings"]>["Ports"]>): string[] {
  return Object.entries(ports)
    .flatMap(([inner, published]) =>
      (published ?? []).map(({ HostIp, HostPort }) => {
        const address = HostIp.includes(":") ? `[${HostIp}]` : HostIp || "0.0.0.0";
        return `${address}:${HostPort}->${inner}`;
      }),
    )
    .sort();
}
