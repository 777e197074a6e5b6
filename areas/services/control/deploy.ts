import type { Tools } from "@reeve/control";
import type { RunDraft } from "@reeve/runs";
import { keepOn, readKept, type Sql, type Stored } from "@reeve/store";
import type { ServiceSpec } from "../kinds/index.ts";
import { deliverBundle } from "../store/index.ts";
import { chooseHosts } from "./choose-hosts.ts";
import { type Content, contentOf } from "./content.ts";
import { draftRun } from "./draft-run.ts";

export interface PlannedDeploy {
  readonly content: Content;
  readonly run: RunDraft;
  /** Lets its hosts have the files, and begins the run. */
  readonly begin: (sql: Sql) => Promise<void>;
}

/** The run that brings a service as it is now to the hosts that it is to run on now. A Fault says what is in the way. */
export async function planDeploy(
  { database, runs }: Pick<Tools, "database" | "runs">,
  service: Stored,
  { cause, by }: Pick<RunDraft, "cause" | "by">,
): Promise<PlannedDeploy> {
  const { uid, scope } = service.metadata;
  const content = await contentOf(database, service);
  const kept = await readKept(database, uid);
  const has = new Set(kept.map(({ agent }) => agent));
  const hosts = await chooseHosts(database, scope, service.spec as unknown as ServiceSpec, has);
  const chosen = new Set(hosts.map((host) => host.uid));
  const leaves = kept
    .filter(({ agent }) => !chosen.has(agent))
    .map(({ agent, host }) => ({ uid: agent, name: host }));
  const { run, bundle } = draftRun({ service, content, hosts, leaves, cause, by });
  return {
    content,
    run,
    async begin(sql) {
      await deliverBundle(sql, bundle, [...chosen]);
      await keepOn(sql, uid, [...chosen]);
      await runs.admit(sql, [run]);
    },
  };
}
