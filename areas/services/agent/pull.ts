import type { Means } from "@reeve/agent";
import type { Registry, ServiceOrder } from "../kinds/kept.ts";
import type { Compose } from "./compose.ts";
import type { Engine } from "./engine/engine.ts";
import type { Expectations } from "./expected.ts";
import { dockerHub, registryOf } from "./image-name.ts";

/**
 * Pulls the images of some services. Those of the service's own registries by the engine, with credentials that way alone: they are
 * on no disk and in no argument. All others by Compose, which knows whatever `docker login` has left on the host.
 */
export async function pullImages(
  engine: Engine,
  compose: Compose,
  { environment, registries = [] }: ServiceOrder,
  /** How Compose finds the project. */
  args: readonly string[],
  images: Expectations,
  { signal, say }: Means,
): Promise<void> {
  const others: string[] = [];
  for (const [name, { image, platform }] of Object.entries(images)) {
    const registry = registries.find(({ url }) => registryOf(image) === hostOf(url));
    if (registry === undefined) others.push(name);
    else await engine.pull(image, { registry, platform, signal });
  }
  if (others.length > 0)
    await compose.run({ args: [...args, "pull", "--quiet", ...others], env: environment, signal, say });
}

function hostOf(url: Registry["url"]): string {
  const { host } = new URL(url);
  return /(^|\.)docker\.io$/.test(host) ? dockerHub : host;
}
