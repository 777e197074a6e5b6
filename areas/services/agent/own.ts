import type { Container } from "./engine/container.ts";
import type { Engine } from "./engine/engine.ts";
import { serviceLabel } from "./standing.ts";

/** The containers of services, or of one service, each with the uid of its service. */
export type OwnContainers = (
  uid?: string,
) => Promise<{ readonly container: Container; readonly service: string }[]>;

/** Known by their label, save those that were adopted and not made anew since: they are known by their project. */
export function ownContainers(engine: Engine, adopted: ReadonlyMap<string, string>): OwnContainers {
  return async (uid) => {
    const labelled = await engine.labelled(uid === undefined ? serviceLabel : `${serviceLabel}=${uid}`);
    const projects = [...adopted].filter(([, owner]) => uid === undefined || owner === uid);
    const plain = await Promise.all(
      projects.map(async ([project, service]) =>
        (await engine.containers(project))
          .filter(({ labels }) => labels[serviceLabel] === undefined)
          .map((container) => ({ container, service })),
      ),
    );
    return [
      ...labelled.map((container) => ({ container, service: container.labels[serviceLabel] ?? "" })),
      ...plain.flat(),
    ];
  };
}
