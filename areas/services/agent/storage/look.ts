import type { StorageItem } from "../../kinds/storage.ts";
import type { EngineStorage } from "../engine/storage.ts";
import { fullName, repositoryOf } from "../image-name.ts";

/** What of a host is wanted by services. */
export interface Needed {
  /** As Compose files name them: what runs, is about to, or may be gone back to. */
  readonly images: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
}

/** Networks that the engine makes for itself. */
const builtIn = new Set(["bridge", "host", "none", "podman", "docker_gwbridge", "ingress"]);

/** What there is, and of each thing whether pruning takes it. Pure. */
export function judgeStorage({ images, volumes, networks }: EngineStorage, needed: Needed): StorageItem[] {
  const wanted = new Set([...needed.images].map(fullName));
  const known = new Set([...wanted].map(repositoryOf));
  const isWanted = (names: readonly string[]) => names.some((name) => wanted.has(fullName(name)));
  return [
    ...images.map(({ id, tags, digests, bytes, createdAt, usedBy }): StorageItem => {
      const name = tags.join(", ") || digests[0] || id;
      const item = { kind: "image" as const, id, name, bytes, createdAt, usedBy };
      if (usedBy.length > 0) return { ...item, goes: "no", why: "containers use it" };
      if (isWanted([...tags, ...digests, id]))
        return { ...item, goes: "no", why: "a service needs it, or may go back to it" };
      if (tags.length > 0 && digests.length === 0)
        return { ...item, goes: "named", why: "it was made here, and cannot be pulled again" };
      return [...tags, ...digests].some((one) => known.has(repositoryOf(fullName(one))))
        ? { ...item, goes: "prune", why: "a service had it before" }
        : { ...item, goes: "all", why: "it is no service's" };
    }),
    ...volumes.map(({ name, bytes, createdAt, usedBy }): StorageItem => {
      const item = { kind: "volume" as const, id: name, name, bytes, createdAt, usedBy };
      return usedBy.length > 0
        ? { ...item, goes: "no", why: "containers use it" }
        : { ...item, goes: "named", why: "it holds data" };
    }),
    ...networks.map(({ id, name, project, createdAt, usedBy }): StorageItem => {
      const item = { kind: "network" as const, id, name, bytes: 0, createdAt, usedBy };
      if (usedBy.length > 0) return { ...item, goes: "no", why: "containers use it" };
      if (builtIn.has(name)) return { ...item, goes: "no", why: "it is the engine's own" };
      return needed.projects.has(project)
        ? { ...item, goes: "no", why: "a service needs it" }
        : { ...item, goes: "all", why: "it is no service's" };
    }),
  ];
}
