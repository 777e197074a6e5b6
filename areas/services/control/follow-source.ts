import type { LookAt } from "@reeve/control";
import { Fault, withCondition } from "@reeve/model";
import type { ServiceSpec, ServiceStatus } from "../kinds/index.ts";
import { contentOf, packContent } from "./content.ts";
import { type PlannedDeploy, planDeploy } from "./deploy.ts";
import type { OpenSealed } from "./encrypted/open-sealed.ts";

/** What follows for a service from the files in its repository by now. */
export interface SourceNews {
  readonly status: Pick<ServiceStatus, "source" | "conditions">;
  /** They are to be brought to its hosts by themselves. */
  readonly deploy?: PlannedDeploy;
  /** What was in the way may not be there for long. */
  readonly againInMs?: number;
}

const againMs = 30_000;

/** Undefined for one that has its files in its spec. `busy` while a run of it is under way: what is new comes after it. */
export async function followSource(
  { resource, tools }: LookAt,
  status: ServiceStatus,
  { busy, at, openSealed }: { busy: boolean; at: string; openSealed: OpenSealed },
): Promise<SourceNews | undefined> {
  const { source } = resource.spec as unknown as ServiceSpec;
  if (source === undefined) return undefined;
  const say = (state: "true" | "false", reason: string, message: string) =>
    withCondition(status.conditions ?? [], { type: "Source", status: state, reason, message }, at);
  const begun = status.source?.begun;
  try {
    const content = await contentOf(tools.database, resource);
    const { digest } = packContent(content);
    const revision = content.revision ?? "";
    const seen = { revision, digest };
    if (digest === begun)
      return {
        status: { source: { ...seen, begun }, conditions: say("true", "UpToDate", `revision ${revision}`) },
      };
    const kept = begun === undefined ? seen : { ...seen, begun };
    const newer = `a newer revision is there: ${revision}`;
    if (!source.autoDeploy || busy)
      return {
        status: { source: kept, conditions: say("true", "Newer", `${newer}; deploy it when you like`) },
      };
    const by = `repository ${source.repository}`;
    const deploy = await planDeploy(tools, resource, { cause: "reconciler", by, openSealed });
    const conditions = say("true", "UpToDate", `revision ${revision}`);
    return { status: { source: { ...seen, begun: digest }, conditions }, deploy };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { source: known } = status;
    const kept = known === undefined ? {} : { source: known };
    const reason = error.kind === "invalid" ? "Refused" : "CannotDeploy";
    return { status: { ...kept, conditions: say("false", reason, error.message) }, againInMs: againMs };
  }
}
