import { type ActionHandler, type Admission, type Controller, forbidden } from "@reeve/control";
import { allows, Fault, selfAndAncestors, showSubject } from "@reeve/model";
import type { Stored } from "@reeve/store";
import { composeErrors, strangeReferences } from "../kinds/compose-file.ts";
import type { ServiceSpec } from "../kinds/index.ts";
import { noteSource } from "../store/index.ts";
import { acting, actOnContainer } from "./act.ts";
import { begunBy } from "./content.ts";
import { planDeploy } from "./deploy.ts";
import type { OpenSealed } from "./encrypted/open-sealed.ts";
import { follow } from "./follow.ts";
import { exec } from "./live/exec.ts";
import { removeInstances } from "./remove.ts";

export const serviceController = (openSealed: OpenSealed): Controller => ({
  kind: "Service",
  admit,
  also:
    ({ metadata, spec }) =>
    (sql) => {
      const { source } = spec as unknown as ServiceSpec;
      const from = source && { repository: source.repository, folder: source.folder ?? "" };
      return noteSource(sql, metadata, from, selfAndAncestors(metadata.scope));
    },
  actions: {
    exec,
    deploy: changing(openSealed),
    stop: changing(openSealed, "stopped"),
    start: changing(openSealed, "running"),
    restart: acting("restart"),
    pull: acting("pull"),
    container: actOnContainer,
  },
  reconcile: (look) => follow(look, openSealed),
  undo: { "reeve/instances": removeInstances },
});

/** What cannot be deployed cannot be recorded; what a repository holds is looked at when it is read. */
function admit({ before, after, caller }: Admission): Stored {
  const { files, source, ...spec } = after.spec as unknown as ServiceSpec;
  const errors = files === undefined ? strangeReferences(spec) : composeErrors({ ...spec, files });
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
  if (before !== undefined && folderOf(before) !== folderOf(after))
    throw new Fault("invalid", "/spec/folder: a service stays in its folder: its data lies there", {
      next: "make a new service, and delete this one",
    });
  // Whoever may push deploys from then on: who decides that must have the right to.
  const { scope } = after.metadata;
  if (source?.autoDeploy && !allows(caller.grants, "services:deploy", scope))
    throw forbidden("services:deploy", scope);
  return after;
}

function projectOf({ metadata, spec }: Stored): string {
  return (spec as unknown as ServiceSpec).project ?? metadata.name;
}

function folderOf({ spec }: Stored): string | undefined {
  return (spec as unknown as ServiceSpec).folder;
}

/** Begins the run that brings the service, perhaps with another state, to its hosts. */
function changing(openSealed: OpenSealed, state?: ServiceSpec["state"]): ActionHandler {
  return async ({ resource, caller }, tools) => {
    const { generation } = resource.metadata;
    const service = state === undefined ? resource : withState(resource, state);
    const { run, content, begin } = await planDeploy(tools, service, {
      cause: "person",
      by: showSubject(caller.subject),
      openSealed,
    });
    return {
      change(now) {
        if (now.metadata.generation !== generation)
          throw new Fault("conflict", "it was changed in this moment", { next: "look at it and try again" });
        const { spec, metadata } = state === undefined ? now : withState(now, state);
        return { ...now, spec, metadata, status: begunBy({ ...now.status, run: run.id }, content) };
      },
      also: begin,
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
