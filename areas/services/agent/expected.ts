import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import type { JsonObject } from "@reeve/model";
import type { Bundle } from "../kinds/bundle.ts";

/** What there must be of one service of a Compose project. */
export interface Expected {
  /** Changes whenever its containers have to be made anew, also when a file that they mount has changed. */
  readonly config: string;
  readonly count: number;
  /** It ends when it has done its work, and others wait for that. */
  readonly task: boolean;
  readonly image: string;
}

export type Expectations = Readonly<Record<string, Expected>>;

/** The part of `docker compose config --format json` that is read. */
interface ComposeConfig {
  readonly services?: Readonly<Record<string, ComposeService>>;
  readonly configs?: Readonly<Record<string, { readonly file?: string }>>;
  readonly secrets?: Readonly<Record<string, { readonly file?: string }>>;
}

interface ComposeService extends JsonObject {
  readonly image: string;
  readonly scale: number;
  readonly deploy: { readonly replicas?: number };
  readonly depends_on: Record<string, { readonly condition: string }>;
  readonly volumes: { readonly type: string; readonly source?: string }[];
  readonly configs: { readonly source: string }[];
  readonly secrets: { readonly source: string }[];
}

/** What follows from a configuration that was read in `stage` for a service that lives in `live`. */
export function expectationsOf(json: string, stage: string, live: string, bundle: Bundle): Expectations {
  const config = JSON.parse(json.replaceAll(stage, live)) as ComposeConfig;
  const services = Object.entries(config.services ?? {});
  const awaited = new Set(
    services.flatMap(([, { depends_on = {} }]) =>
      Object.entries(depends_on).flatMap(([name, { condition }]) =>
        condition === "service_completed_successfully" ? [name] : [],
      ),
    ),
  );
  return Object.fromEntries(
    services.map(([name, service]) => [
      name,
      {
        config: digestOf(service, mountedFiles(service, config, live, bundle)),
        count: service.deploy?.replicas ?? service.scale ?? 1,
        task: awaited.has(name),
        image: service.image,
      },
    ]),
  );
}

/** Files of the bundle that the containers see, by bind mounts of them or of a folder that they lie in. */
function mountedFiles(
  service: ComposeService,
  config: ComposeConfig,
  live: string,
  bundle: Bundle,
): string[] {
  const sources = [
    ...(service.volumes ?? []).filter(({ type }) => type === "bind").map(({ source }) => source),
    ...(service.configs ?? []).map(({ source }) => config.configs?.[source]?.file),
    ...(service.secrets ?? []).map(({ source }) => config.secrets?.[source]?.file),
  ];
  const below = sources.flatMap((source) => {
    const path = source === undefined ? ".." : relative(live, source);
    return path.startsWith("..") ? [] : [join(path, "/")];
  });
  return Object.entries(bundle).flatMap(([path, text]) =>
    below.some((folder) => folder === "./" || `${path}/`.startsWith(folder)) ? [`${path}\n${text}`] : [],
  );
}

function digestOf(service: JsonObject, files: readonly string[]): string {
  return createHash("sha256")
    .update(JSON.stringify([service, files]))
    .digest("hex")
    .slice(0, 16);
}
