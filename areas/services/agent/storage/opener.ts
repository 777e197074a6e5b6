import type { Opener } from "@reeve/agent";
import type { Pruned, StorageItem } from "../../kinds/storage.ts";
import type { Engine } from "../engine/engine.ts";
import { imagesNeeded, projectsKept } from "../folder.ts";
import { judgeStorage } from "./look.ts";

interface Asked {
  /** What is to go; without it, only what there is is told. */
  readonly remove?: readonly Pick<StorageItem, "kind" | "id">[];
}

/** The images, volumes and networks of this host, as JSON; or the end of some. `services` is the keeper's folder. */
export function storageOpener(engine: Engine, services: string): Opener {
  async function look(): Promise<StorageItem[]> {
    const [found, images, projects] = await Promise.all([
      engine.storage(),
      imagesNeeded(services),
      projectsKept(services),
    ]);
    return judgeStorage(found, { images, projects });
  }

  /** Each is looked at again: what came into use since it was shown stays, and the engine has the last word. */
  async function remove(asked: NonNullable<Asked["remove"]>): Promise<Pruned> {
    const removed: Pruned["removed"][number][] = [];
    const left: Pruned["left"][number][] = [];
    const now = new Map((await look()).map((item) => [`${item.kind} ${item.id}`, item]));
    for (const { kind, id } of asked) {
      const item = now.get(`${kind} ${id}`);
      if (item === undefined) left.push({ kind, name: id, why: "it is gone already" });
      else if (item.goes === "no") left.push({ kind, name: item.name, why: item.why });
      else {
        const trouble = await end(item).catch((error: Error) => error.message);
        if (trouble === undefined) removed.push({ kind, name: item.name, bytes: item.bytes });
        else left.push({ kind, name: item.name, why: trouble });
      }
    }
    return { removed, left };
  }

  /** An image of several names goes with the last of them. */
  async function end({ kind, id, name }: StorageItem): Promise<string | undefined> {
    const ids = kind === "image" && name.includes(", ") ? name.split(", ") : [id];
    for (const one of ids) if (!(await engine.remove(kind, one))) return "it is gone already";
    return undefined;
  }

  return {
    name: "service-storage",
    async open(asked, { show }) {
      const { remove: some } = asked as Asked;
      await show(Buffer.from(JSON.stringify(some === undefined ? await look() : await remove(some))));
      return {};
    },
  };
}
