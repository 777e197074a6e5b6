import type { LookAt } from "@reeve/control";
import { hasEnded } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import { type KeptOn, letGoOf, type Stored } from "@reeve/store";
import { readRun, readSteps } from "@reeve/store/runs";
import { draftRun, removedBy } from "./draft-run.ts";

/** A host that was silent when a service left it has it still: it is removed when its agent is back. */

/** Whether the run that was begun for such hosts is under way. What it has removed is not kept any more. */
export async function isRemoving({ resource, tools }: LookAt, owing: string): Promise<boolean> {
  const read = await readRun(tools.database, owing);
  if (read === undefined) return false;
  if (!hasEnded(read.run.state)) return true;
  const steps = await readSteps(tools.database, read.run.id, { after: -1 }, read.graph.steps.length);
  const gone = removedBy(read.graph, (seq) => steps[seq]?.state === "succeeded");
  await letGoOf(tools.database, resource.metadata.uid, gone);
  return false;
}

/** The run that removes it from those of the hosts that are back. */
export function removalFrom(owed: readonly KeptOn[], service: Stored): RunDraft | undefined {
  const leaves = owed.filter(({ heard }) => heard).map(({ agent, host }) => ({ uid: agent, name: host }));
  if (leaves.length === 0) return undefined;
  const content = { files: {} };
  const by = service.metadata.name;
  return draftRun({ service, content, hosts: [], leaves, owed: [], cause: "reconciler", by }).run;
}
