import type { ActionHandler, Admission, Controller } from "@reeve/control";
import { Fault, showSubject } from "@reeve/model";
import { keepOn, readKept, type Stored } from "@reeve/store";
import { composeErrors } from "../kinds/compose-file.ts";
import type { ServiceSpec } from "../kinds/index.ts";
import { deliverBundle } from "../store/index.ts";
import { acting, actOnContainer } from "./act.ts";
import { chooseHosts } from "./choose-hosts.ts";
import { draftRun } from "./draft-run.ts";
import { follow } from "./follow.ts";
import { exec } from "./live/exec.ts";
import { removeInstances } from "./remove.ts";

export const serviceController: Controller = {
  kind: "Service",
  admit,
  actions: {
    exec,
    deploy: changing(),
    stop: changing("stopped"),
    start: changing("running"),
    restart: acting("restart"),
    pull: acting("pull"),
    container: actOnContainer,
  },
  reconcile: follow,
  undo: { "reeve/instances": removeInstances },
};

/** What cannot be deployed cannot be recorded. */
function admit({ before, after }: Admission): Stored {
  const errors = composeErrors(after.spec as unknown as ServiceSpec);
  const [first] = errors;
  if (first !== undefined) throw new Fault("invalid", `${first.pointer}: ${first.message}`, { errors });
  if (before !== undefined && projectOf(before) !== projectOf(after))
    throw new Fault(
      "invalid",
      "/spec/project: the project of a service stays: its folder and volumes are called by it",
      {
        next: "make a new service, and delete this one",
      },
    );
  return after;
}

function projectOf({ metadata, spec }: Stored): string {
  return (spec as unknown as ServiceSpec).project ?? metadata.name;
}

/** Begins the run that brings the service, perhaps with another state, to its hosts. */
function changing(state?: ServiceSpec["state"]): ActionHandler {
  return async ({ resource, caller }, { database, runs }) => {
    const { generation } = resource.metadata;
    const service = state === undefined ? resource : withState(resource, state);
    const kept = await readKept(database, service.metadata.uid);
    const has = new Set(kept.map(({ agent }) => agent));
    const { scope } = service.metadata;
    const hosts = await chooseHosts(database, scope, service.spec as unknown as ServiceSpec, has);
    const chosen = new Set(hosts.map(({ uid }) => uid));
    const leaves = kept
      .filter(({ agent }) => !chosen.has(agent))
      .map(({ agent, host }) => ({ uid: agent, name: host }));
    const { run, bundle } = draftRun({
      service,
      hosts,
      leaves,
      cause: "person",
      by: showSubject(caller.subject),
    });
    return {
      change(now) {
        if (now.metadata.generation !== generation)
          throw new Fault("conflict", "it was changed in this moment", { next: "look at it and try again" });
        const { spec, metadata } = state === undefined ? now : withState(now, state);
        return { ...now, spec, metadata, status: { ...now.status, run: run.id } };
      },
      async also(sql) {
        await deliverBundle(sql, bundle, [...chosen]);
        await keepOn(sql, service.metadata.uid, [...chosen]);
        await runs.admit(sql, [run]);
      },
      output: () => ({ run: run.id }),
    };
  };
}

function withState(service: Stored, state: string): Stored {
  const { metadata, spec } = service;
  return {
    ...service,
    metadata: { ...metadata, generation: metadata.generation + 1 },
    spec: { ...spec, state },
  };
}
