import type { Instance } from "../../kinds/index.ts";
import type { Container } from "../seen.ts";

/** A container that a terminal can be opened in, or why it cannot. */
export interface Place {
  readonly host: string;
  readonly container: string;
  readonly why: string | undefined;
}

export function enterable(instances: readonly Instance[]): Place[] {
  return instances.flatMap((instance) =>
    instance.containers.map((container) => ({
      host: instance.host,
      container: container.name,
      why: whyNotEnter(instance, container),
    })),
  );
}

export function whyNotEnter(instance: Instance, { name, state }: Container): string | undefined {
  return (
    whyUnheard(instance) ??
    (state === "running" ? undefined : `the container ${name} is ${state}, not running`)
  );
}

/** Nothing can be done with the containers of a host that nobody hears. */
export function whyUnheard({ state, host }: Instance): string | undefined {
  return state === "unknown" ? `nothing is heard of ${host}` : undefined;
}
