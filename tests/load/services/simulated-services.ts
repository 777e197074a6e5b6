import type { ServiceSeen } from "../../../areas/services/kinds/kept.ts";
import type { Link } from "../../../core/agent/link/link.ts";

/** So many containers in each service, as far as there are any. */
export const containersInService = 5;

/** The services of one simulated host, told as the agent tells them: all at first, and then what has changed. */
export interface SimulatedServices {
  /** As many containers of them as by chance have changed by now. Says how many services were told. */
  turn(share: number): number;
}

export function simulateServices(link: Pick<Link, "observe">, uids: readonly string[]): SimulatedServices {
  const seen = new Map(uids.map((uid) => [uid, Array.from({ length: containersInService }, () => 0)]));
  link.observe([...seen].map(observationOf), uids);
  return {
    turn(share) {
      const changed = [...seen].filter(([, restarts]) => {
        const hit = restarts.flatMap((_, at) => (Math.random() < share ? [at] : []));
        for (const at of hit) restarts[at] = (restarts[at] ?? 0) + 1;
        return hit.length > 0;
      });
      if (changed.length > 0) link.observe(changed.map(observationOf));
      return changed.length;
    },
  };
}

function observationOf([uid, restarts]: [string, readonly number[]]) {
  const seen: ServiceSeen & { readonly generation: number } = {
    generation: 1,
    state: "running",
    containers: restarts.map((count, at) => ({
      name: `service-web-${at}`,
      service: "web",
      image: "web:1",
      state: "running",
      health: "healthy" as const,
      restarts: count,
      startedAt: new Date(count * 1000).toISOString(),
      ports: [`80${at}0->80`],
    })),
  };
  return { uid, seen: JSON.stringify(seen) };
}
