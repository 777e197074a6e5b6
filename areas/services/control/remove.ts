import type { LookAt } from "@reeve/control";
import { hasEnded, type JsonObject, type Outcome } from "@reeve/model";
import { letGoOf, readKept } from "@reeve/store";
import { readRun, readSteps } from "@reeve/store/runs";
import type { ServiceStatus } from "../kinds/index.ts";
import { draftRun, removedBy } from "./draft-run.ts";

const lookMs = 1000;
const againMs = 30_000;

/** A service that is being deleted goes from its hosts first, by a run; what an agent cannot remove is tried again. */
export async function removeInstances(look: LookAt): Promise<Outcome> {
  const { resource, tools, report } = look;
  const { uid, name } = resource.metadata;
  const { removing, ...status } = resource.status as ServiceStatus & { removing?: string };
  const read = removing === undefined ? undefined : await readRun(tools.database, removing);
  if (read !== undefined && !hasEnded(read.run.state))
    return {
      kind: "waiting",
      why: `being deleted: run ${read.run.id} removes it from its hosts`,
      againInMs: lookMs,
    };
  if (read !== undefined) {
    const steps = await readSteps(tools.database, read.run.id, { after: -1 }, read.graph.steps.length);
    await letGoOf(
      tools.database,
      uid,
      removedBy(read.graph, (seq) => steps[seq]?.state === "succeeded"),
    );
    if (read.run.state !== "succeeded" && (await report(status as JsonObject)))
      return {
        kind: "waiting",
        why: `being deleted: ${read.run.why}; tried again soon, or delete with force`,
        againInMs: againMs,
      };
  }
  const kept = await readKept(tools.database, uid);
  if (kept.length === 0) return { kind: "done", why: "no host keeps it any more" };
  const leaves = kept.map(({ agent, host }) => ({ uid: agent, name: host }));
  const { run } = draftRun({
    service: resource,
    content: { files: {} },
    hosts: [],
    leaves,
    owed: [],
    cause: "reconciler",
    by: name,
  });
  const told = await report({ ...status, removing: run.id } as JsonObject, [], (sql) =>
    tools.runs.admit(sql, [run]),
  );
  return {
    kind: "waiting",
    why: `being deleted: run ${told ? run.id : "…"} removes it from its hosts`,
    againInMs: told ? lookMs : 0,
  };
}
