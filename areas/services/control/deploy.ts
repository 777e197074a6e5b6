import type { Tools } from "@reeve/control";
import { Fault } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import { keepOn, readKept, type Sql, type Stored } from "@reeve/store";
import type { ServiceSpec } from "../kinds/index.ts";
import { deliverBundle } from "../store/index.ts";
import { chooseHosts } from "./choose-hosts.ts";
import { type Content, contentOf } from "./content.ts";
import { draftRun } from "./draft-run.ts";
import type { OpenSealed } from "./encrypted/open-sealed.ts";
import { nearest } from "./repository/access.ts";

export interface PlannedDeploy {
  readonly content: Content;
  readonly run: RunDraft;
  /** Lets its hosts have the files, and begins the run. */
  readonly begin: (sql: Sql) => Promise<void>;
}

/** The run that brings a service as it is now to the hosts that it is to run on now. A Fault says what is in the way. */
export async function planDeploy(
  tools: Tools,
  service: Stored,
  { cause, by, openSealed }: Pick<RunDraft, "cause" | "by"> & { readonly openSealed: OpenSealed },
): Promise<PlannedDeploy> {
  const { database, runs } = tools;
  const { uid } = service.metadata;
  const content = await contentOf(database, service);
  await refuseRegistries(database, service);
  const { files, sealed } = content;
  // What does not open is found before anything is begun; what it holds is forgotten again.
  if (sealed !== undefined) await openSealed(tools, files, sealed.by);
  const { hosts, leaves, kept } = await whereTo(database, service);
  const chosen = hosts.map((host) => host.uid);
  // Nobody waits for a host that does not answer, to be rid of the service there.
  const heard = new Set(kept.flatMap((one) => (one.heard ? [one.agent] : [])));
  const [here, owed] = [true, false].map((is) => leaves.filter((host) => heard.has(host.uid) === is));
  const { run, bundle } = draftRun({
    ...{ service, content, hosts, cause, by },
    ...{ leaves: here ?? [], owed: owed ?? [] },
  });
  return {
    content,
    run,
    async begin(sql) {
      const { scope } = service.metadata;
      await deliverBundle(sql, { ...bundle, scope }, chosen, sealed?.by.metadata.uid);
      await keepOn(sql, uid, chosen);
      await runs.admit(sql, [run]);
    },
  };
}

/** What cannot be pulled with is told before anything is queued. */
async function refuseRegistries(sql: Sql, { metadata, spec }: Stored): Promise<void> {
  for (const name of (spec as unknown as ServiceSpec).registries ?? []) {
    const { type, user, password } = (await nearest(sql, "Connection", metadata.scope, name))?.spec ?? {};
    if (type !== "registry" || user === undefined || password === undefined)
      throw new Fault(
        "precondition",
        `there is no Connection ${name} of the type registry with \`user\` and \`password\` here or above`,
        { next: "make the Connection, or leave it out of `registries`" },
      );
  }
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
