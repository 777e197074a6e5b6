import type { LookAt } from "@reeve/control";
import type { ResourceOf } from "@reeve/model";
import { type Backup, isTrue } from "../kinds/index.ts";
import { listBackupResources } from "../store/index.ts";
import { type Candidate, type Keep, kept } from "./keep.ts";

/** Every backup judges itself, by what all of them are like: there is no second list that could differ. */
export async function hasHadItsTime({ resource, tools }: LookAt, keep: Keep): Promise<boolean> {
  const all = (await listBackupResources(tools.database)).flatMap((row): Candidate[] => {
    const status = row.status as ResourceOf<typeof Backup>["status"];
    if (status.takenAt === undefined) return [];
    return [{ name: row.name, takenAt: status.takenAt, good: isTrue(status, "Verified") }];
  });
  return !kept(all, keep, Date.now()).has(resource.metadata.name);
}
