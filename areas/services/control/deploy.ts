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
  const { uid } = service.metadata;
  const content = await contentOf(database, service);
  const { hosts, leaves } = await whereTo(database, service);
  const chosen = hosts.map((host) => host.uid);
  const { run, bundle } = draftRun({ service, content, hosts, leaves, cause, by });
  return {
    content,
    run,
    async begin(sql) {
      await deliverBundle(sql, bundle, chosen);
      await keepOn(sql, uid, chosen);
      await runs.admit(sql, [run]);
    },
  };
}

/** The hosts that a service is to run on now, those that it is to leave, and what each was seen to keep. */
export async function whereTo(sql: Sql, { metadata, spec }: Stored) {
  const kept = await readKept(sql, metadata.uid);
  const has = new Set(kept.map(({ agent }) => agent));
  const hosts = await chooseHosts(sql, metadata.scope, spec as unknown as ServiceSpec, has);
  const chosen = new Set(hosts.map(({ uid }) => uid));
  const leaves = kept
    .filter(({ agent }) => !chosen.has(agent))
    .map(({ agent, host }) => ({ uid: agent, name: host }));
  return { hosts, leaves, kept };
}
