import type { Wanted } from "@reeve/agent";
import type { JsonObject } from "@reeve/model";
import type { Override, ServiceAct } from "../kinds/kept.ts";

/** Containers that somebody stopped through Reeve, by name. The keeper leaves them so. */
export type Stopped = Readonly<Record<string, Override>>;

export function stoppedOf({ overrides }: Wanted): Stopped {
  return (overrides as { stopped?: Stopped } | undefined)?.stopped ?? {};
}

/** What is wanted after an act: a container that is started or restarted is kept again, and so are all with the whole service. */
export function overridden(act: JsonObject, wanted: Wanted): Wanted {
  const { do: verb, container, by, at } = act as unknown as ServiceAct;
  const { overrides: _, ...plain } = wanted;
  const { [container ?? ""]: __, ...others } = stoppedOf(wanted);
  const stopped: Stopped =
    container === undefined
      ? verb === "pull"
        ? others
        : {}
      : verb === "stop"
        ? { ...others, [container]: { by, at } }
        : others;
  return Object.keys(stopped).length === 0
    ? plain
    : { ...plain, overrides: { stopped } as unknown as JsonObject };
}
