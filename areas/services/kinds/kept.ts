/** What an agent is told to keep of a service: a generation of it, with the values of its secrets by then. */
export interface ServiceOrder {
  /** The name of the Compose project on the host, and of the service's folder there. */
  readonly project: string;
  /** Where the project lies that was adopted; the agent's own folder when left out. */
  readonly folder?: string;
  readonly compose: readonly string[];
  /** The digest of the files; see bundle.ts. */
  readonly bundle: string;
  /** Those of them that are encrypted: the agent asks for what they hold. */
  readonly sealed?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly state: "running" | "stopped";
  readonly registries?: readonly Registry[];
  /** Of the repository that the files are from. */
  readonly revision?: string;
}

/** Where images are pulled from, and as whom. */
export interface Registry {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** What a person asks of a service on a host, beside a generation; `stop` and `start` are of a container. */
export interface ServiceAct {
  readonly do: "restart" | "pull" | "stop" | "start";
  readonly container?: string | undefined;
  readonly by: string;
  readonly at: string;
}

/** Who stopped a container through Reeve, and when. */
export interface Override {
  readonly by: string;
  readonly at: string;
}

export const instanceStates = ["running", "stopped", "starting", "degraded", "absent", "unknown"] as const;

/** What an agent has seen of a service on its host. */
export interface ServiceSeen {
  readonly state: (typeof instanceStates)[number];
  /** What is not as it should be. */
  readonly why?: string | undefined;
  /** How many containers there should be. */
  readonly wanted?: number | undefined;
  /** Of the repository that its files are from. */
  readonly revision?: string | undefined;
  /** The digest of its files. */
  readonly bundle?: string | undefined;
  readonly containers: readonly SeenContainer[];
}

interface SeenContainer {
  readonly name: string;
  readonly service: string;
  readonly image: string;
  /** Docker's word: running, exited, restarting, … */
  readonly state: string;
  readonly health: "none" | "starting" | "healthy" | "unhealthy";
  readonly restarts: number;
  readonly exitCode?: number | undefined;
  readonly startedAt?: string | undefined;
  readonly ports: readonly string[];
  /** It is not started again until somebody does, or deploys. */
  readonly stopped?: Override | undefined;
}
