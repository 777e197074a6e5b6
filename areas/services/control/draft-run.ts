import { type GraphStep, type JsonObject, newUid, parseDuration, type RunGraph } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import type { Stored } from "@reeve/store";
import { composeFilesOf } from "../kinds/compose-file.ts";
import type { Registry, ServiceAct, ServiceOrder, ServiceSpec } from "../kinds/index.ts";
import type { ChosenHost } from "./choose-hosts.ts";
import { type Content, packContent } from "./content.ts";

export interface Deploy {
  readonly service: Stored;
  /** Its files, where there are hosts that need them. */
  readonly content: Content;
  readonly hosts: readonly ChosenHost[];
  /** Where it runs and is not to run any more. */
  readonly leaves: readonly ChosenHost[];
  /** The same where nobody answers now: it is removed there later (owed.ts). */
  readonly owed: readonly ChosenHost[];
  readonly cause: RunDraft["cause"];
  readonly by: string;
}

export interface Deployment {
  readonly run: RunDraft;
  readonly bundle: { readonly digest: string; readonly content: string };
}

/** An agent that is away for longer makes the run fail, with nothing touched on its host. */
const startMs = 10 * 60_000;
const prepareMs = 60 * 60_000;
const removeGateMs = 5 * 60_000;

/**
 * The run of a deploy: all hosts get ready first, so that what cannot be is found before anything is touched; then one host after
 * the other keeps the new generation. A host on which it does not become healthy goes back by itself, and those after it are left alone.
 */
export function draftRun({ service, content, hosts, leaves, owed, cause, by }: Deploy): Deployment {
  const { name, uid, generation } = service.metadata;
  const spec = service.spec as unknown as ServiceSpec;
  const bundle = packContent(content);
  const { registries = [] } = spec;
  const order: Omit<ServiceOrder, "environment"> & { environment: unknown } = {
    project: spec.project ?? name,
    ...(spec.folder === undefined ? {} : { folder: spec.folder }),
    compose: composeFilesOf({ ...spec, files: content.files }),
    bundle: bundle.digest,
    ...(content.sealed === undefined ? {} : { sealed: content.sealed.paths }),
    environment: spec.environment ?? {},
    state: spec.state,
    ...(registries.length === 0 ? {} : { registries: registries.map(referredTo) }),
    ...(content.revision === undefined ? {} : { revision: content.revision }),
  };
  const told = { uid, name, generation, spec: order } as unknown as JsonObject;
  const gateMs = parseDuration(spec.health.timeout);
  const steps: GraphStep[] = hosts.map((host) =>
    step("prepare", host, { needs: [], with: told, finishMs: prepareMs }),
  );
  const ready = steps.map((_, at) => at);
  // Time to become healthy, to go back and become healthy there, and to get ready again after a restart.
  const kept = { with: { ...told, gateMs }, finishMs: 2 * gateMs + prepareMs };
  const needs = addInTurns(steps, hosts, spec.rollout.parallel, ready, (host, needs) =>
    step("keep", host, { needs, ...kept }),
  );
  for (const host of leaves)
    steps.push(
      step("remove", host, {
        needs,
        with: { ...told, gateMs: removeGateMs },
        finishMs: 2 * removeGateMs,
      }),
    );
  const inputs: JsonObject = {
    ...(content.revision === undefined ? {} : { revision: content.revision }),
    ...(owed.length === 0 ? {} : { removedLaterFrom: owed.map((host) => host.name) }),
  };
  return { run: runOf(service, steps, { cause, by, inputs }), bundle };
}

/** The values come with the step, as those of secrets do. */
function referredTo(name: string): Registry {
  const field = (one: keyof Registry) => `\${{ connections.${name}.${one} }}`;
  return { url: field("url"), user: field("user"), password: field("password") };
}

/** The run of what a person asks of a service on these hosts, beside a generation; each waits until it is healthy there. */
export function draftAct(service: Stored, hosts: readonly ChosenHost[], act: ServiceAct): RunDraft {
  const { name, uid, generation } = service.metadata;
  const { health, rollout } = service.spec as unknown as ServiceSpec;
  const gateMs = parseDuration(health.timeout);
  const told = { uid, name, generation, spec: {}, act: { ...act }, gateMs } as unknown as JsonObject;
  const steps: GraphStep[] = [];
  addInTurns(steps, hosts, rollout.parallel, [], (host, needs) =>
    step("act", host, { needs, with: told, finishMs: gateMs + prepareMs }, `${act.do}-${host.name}`),
  );
  return runOf(service, steps, { cause: "person", by: act.by, inputs: {} });
}

function runOf(
  { metadata: { scope, name, uid, generation } }: Stored,
  steps: readonly GraphStep[],
  { cause, by, inputs }: Pick<RunDraft, "cause" | "by" | "inputs">,
): RunDraft {
  return {
    id: newUid(),
    scope,
    about: { kind: "Service", name, uid, generation },
    // What was asked for later comes later.
    graph: { steps, limit: { key: `service ${uid}`, most: 1, over: "queue" } },
    inputs,
    cause,
    by,
  };
}

/** A step for each host, so many at once: the next of them need all of these. Says what comes after the last needs. */
function addInTurns(
  steps: GraphStep[],
  hosts: readonly ChosenHost[],
  parallel: number,
  first: readonly number[],
  stepOn: (host: ChosenHost, needs: readonly number[]) => GraphStep,
): readonly number[] {
  let needs = first;
  for (let at = 0; at < hosts.length; at += parallel) {
    const turn = hosts.slice(at, at + parallel);
    const from = steps.length;
    for (const host of turn) steps.push(stepOn(host, needs));
    needs = turn.map((_, more) => from + more);
  }
  return needs;
}

function step(
  verb: "prepare" | "keep" | "act" | "remove",
  host: ChosenHost,
  { needs, with: given, finishMs }: { needs: readonly number[]; with: JsonObject; finishMs: number },
  name = `${verb}-${host.name}`,
): GraphStep {
  return {
    name,
    needs,
    rule: "all-succeeded",
    body: { does: "execute", executor: `service-${verb}`, with: given },
    timeouts: { startMs, finishMs },
    selector: `reeve/uid=${host.uid}`,
  };
}

/** The hosts that these steps of a run let go. */
export function removedBy(graph: RunGraph, done: (seq: number) => boolean): string[] {
  return hostsOf(graph, "remove").flatMap(([host, seq]) => (done(seq) ? [host] : []));
}

/** The hosts that a run brings a generation to. */
export function keptBy(graph: RunGraph): string[] {
  return hostsOf(graph, "keep").map(([host]) => host);
}

function hostsOf(graph: RunGraph, verb: "keep" | "remove"): [string, number][] {
  return graph.steps.flatMap(({ body, selector }, seq): [string, number][] =>
    body.does === "execute" && body.executor === `service-${verb}`
      ? [[selector?.replace("reeve/uid=", "") ?? "", seq]]
      : [],
  );
}
