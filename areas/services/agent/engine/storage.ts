import { projectLabel } from "./container.ts";
import type { EngineSocket } from "./socket.ts";

interface EngineImage {
  readonly id: string;
  readonly tags: readonly string[];
  /** `nginx@sha256:…`, of the registries it was pulled from. */
  readonly digests: readonly string[];
  readonly bytes: number;
  readonly createdAt: string;
  readonly usedBy: readonly string[];
}

interface EngineVolume {
  readonly name: string;
  readonly bytes: number;
  readonly createdAt: string | undefined;
  readonly usedBy: readonly string[];
}

interface EngineNetwork {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly createdAt: string;
  readonly usedBy: readonly string[];
}

export interface EngineStorage {
  readonly images: readonly EngineImage[];
  readonly volumes: readonly EngineVolume[];
  readonly networks: readonly EngineNetwork[];
}

/** The parts of the engine's answers that are read. */
interface Image {
  Id: string;
  RepoTags?: string[] | null;
  RepoDigests?: string[] | null;
  Created: number;
  Size: number;
}

interface DiskUse {
  Volumes: { Name: string; CreatedAt?: string; UsageData?: { Size: number } | null }[] | null;
}

interface Using {
  Names: string[];
  ImageID: string;
  Mounts?: { Type: string; Name?: string }[];
  NetworkSettings?: { Networks?: Record<string, { NetworkID?: string }> };
}

interface Network {
  Id: string;
  Name: string;
  Created: string;
  Labels?: Record<string, string> | null;
}

/** Volumes are measured by walking them, so this may take a while. */
const measureMs = 300_000;

/** Images are asked for apart: Podman's word on disk usage leaves out their names. */
export async function readStorage(socket: EngineSocket): Promise<EngineStorage> {
  const [images, use, all, networks] = (await Promise.all([
    socket.ask("/images/json"),
    socket.ask("/system/df", { quietMs: measureMs }),
    socket.ask("/containers/json", { query: { all: "1" } }),
    socket.ask("/networks"),
  ])) as [Image[], DiskUse, Using[], Network[]];
  const containers = all.map((one) => ({ ...one, name: (one.Names[0] ?? "").replace(/^\//, "") }));
  const using = (does: (one: Using) => boolean) => containers.filter(does).map(({ name }) => name);
  return {
    images: images.map(({ Id, RepoTags, RepoDigests, Created, Size }) => ({
      id: Id,
      tags: (RepoTags ?? []).filter((tag) => tag !== "<none>:<none>"),
      digests: (RepoDigests ?? []).filter((digest) => !digest.startsWith("<none>")),
      bytes: Size,
      createdAt: new Date(Created * 1000).toISOString(),
      usedBy: using(({ ImageID }) => digestOf(ImageID) === digestOf(Id)),
    })),
    volumes: (use.Volumes ?? []).map(({ Name, CreatedAt, UsageData }) => ({
      name: Name,
      bytes: Math.max(0, UsageData?.Size ?? 0),
      createdAt: CreatedAt,
      usedBy: using(({ Mounts = [] }) => Mounts.some((one) => one.Type === "volume" && one.Name === Name)),
    })),
    networks: networks.map(({ Id, Name, Created, Labels }) => ({
      id: Id,
      name: Name,
      project: Labels?.[projectLabel] ?? "",
      createdAt: Created,
      usedBy: using(({ NetworkSettings }) =>
        Object.entries(NetworkSettings?.Networks ?? {}).some(
          ([name, { NetworkID }]) => NetworkID === Id || (!NetworkID && name === Name),
        ),
      ),
    })),
  };
}

/** Podman leaves the algorithm out at times. */
function digestOf(id: string): string {
  return id.replace(/^sha256:/, "");
}

/** False when it is not there any more. Throws in the engine's words when it is in use. */
export async function removeStored(
  socket: EngineSocket,
  kind: "image" | "volume" | "network",
  id: string,
): Promise<boolean> {
  const path = `/${kind}s/${id.split("/").map(encodeURIComponent).join("/")}`;
  return (await socket.ask(path, { method: "DELETE" })) !== undefined;
}
