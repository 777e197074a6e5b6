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
  readonly platform?: string;
  /** Containers that ran before Reeve did, and that Compose knows by this hash, are as good as its own. */
  readonly adopted?: string;
}

export type Expectations = Readonly<Record<string, Expected>>;

/** The part of what `docker compose config` says that is read. */
interface ComposeConfig {
  readonly services?: Readonly<Record<string, ComposeService>>;
  readonly configs?: Readonly<Record<string, { readonly file?: string }>>;
  readonly secrets?: Readonly<Record<string, { readonly file?: string }>>;
}

interface ComposeService extends JsonObject {
  readonly image: string;
  readonly platform: string;
  readonly scale: number;
  readonly deploy: { readonly replicas?: number };
  readonly depends_on: Record<string, { readonly condition: string }>;
  /** docker-compose v1 says them as `source:target:mode`. */
  readonly volumes: (string | { readonly type: string; readonly source?: string })[];
  readonly configs: { readonly source: string }[];
  readonly secrets: { readonly source: string }[];
}

/** What follows from a configuration that was read in `stage` for a service that lives in `live`. */
export async function expectationsOf(
  text: string,
  stage: string,
  live: string,
  bundle: Bundle,
): Promise<Expectations> {
  const config = await read(text.replaceAll(stage, live));
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
        ...(service.platform && { platform: service.platform }),
      },
    ]),
  );
}

/** The current Compose says it as JSON, the one before only as YAML: its reader is 9 MB of memory, loaded where it is needed. */
async function read(text: string): Promise<ComposeConfig> {
  if (text.startsWith("{")) return JSON.parse(text);
  const { readDocuments } = await import("@reeve/model/yaml");
  return (readDocuments(text, "the configuration")[0]?.value ?? {}) as ComposeConfig;
}

/** Files of the bundle that the containers see, by bind mounts of them or of a folder that they lie in. */
function mountedFiles(
  service: ComposeService,
  config: ComposeConfig,
  live: string,
  bundle: Bundle,
): string[] {
  const sources = [
    ...(service.volumes ?? []).map(boundBy),
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

/** The file or folder of a bind mount; undefined for a volume. */
function boundBy(volume: ComposeService["volumes"][number]): string | undefined {
  if (typeof volume !== "string") return volume.type === "bind" ? volume.source : undefined;
  return volume.startsWith("/") ? volume.split(":")[0] : undefined;
}

function digestOf(service: JsonObject, files: readonly string[]): string {
  return createHash("sha256")
    .update(JSON.stringify([service, files]))
    .digest("hex")
    .slice(0, 16);
}
