import type { Installation } from "./installation.ts";
import type { Site } from "./site.ts";

/** An agent as a process of its own. */
export interface Agent {
  readonly pid: number;
  /** The processes that it keeps beside itself: its spawner. */
  family(): number[];
}

export async function startAgent(_site: Site, _installation: Installation): Promise<Agent> {
  throw new Error("no agent yet");
}
