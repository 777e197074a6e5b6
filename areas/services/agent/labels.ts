import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Wanted } from "@reeve/agent";
import type { ServiceOrder } from "../kinds/kept.ts";
import type { Container } from "./engine/container.ts";
import type { Expectations } from "./expected.ts";
import type { Folder } from "./folder.ts";
import { configLabel, serviceLabel, toLabel } from "./standing.ts";

/** The override that marks containers as ours, if any are to be. JSON is YAML. */
export async function writeLabels(
  folder: Folder,
  { compose, bundle }: ServiceOrder,
  { uid, prepared }: Wanted,
  containers: readonly Container[],
): Promise<string[]> {
  const expected = prepared as unknown as Expectations;
  const services = toLabel(expected, containers).map((name) => [
    name,
    { labels: { [serviceLabel]: uid, [configLabel]: expected[name]?.config } },
  ]);
  if (services.length === 0) return [];
  // docker-compose v1 wants the same version in all files.
  const [first = ""] = compose;
  const version = versionIn((await folder.bundle(bundle))[first] ?? "");
  const override = { ...(version && { version }), services: Object.fromEntries(services) };
  await mkdir(dirname(folder.labels), { recursive: true, mode: 0o700 });
  await writeFile(folder.labels, JSON.stringify(override), { mode: 0o600 });
  return [folder.labels];
}

function versionIn(text: string): string | undefined {
  return /^version:\s*["']?([\d.]+)/m.exec(text)?.[1];
}
