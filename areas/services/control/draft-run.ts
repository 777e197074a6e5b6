import { createHash } from "node:crypto";
import { type GraphStep, type JsonObject, newUid, parseDuration, type RunGraph } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import type { Stored } from "@reeve/store";
import { composeFilesOf } from "../kinds/compose-file.ts";
import { packBundle, type ServiceOrder, type ServiceSpec } from "../kinds/index.ts";
import type { ChosenHost } from "./choose-hosts.ts";

export interface Deploy {
  readonly service: Stored;
  readonly hosts: readonly ChosenHost[];
  /** Where it runs and is not to run any more. */
  readonly leaves: readonly ChosenHost[];
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
export function draftRun({ service, hosts, leaves, cause, by }: Deploy): Deployment {
  const { scope, name, uid, generation } = service.metadata;
  const spec = service.spec as unknown as ServiceSpec;
  const content = packBundle(spec.files);
  const digest = createHash("sha256").update(content).digest("hex");
  const order: Omit<ServiceOrder, "environment"> & { environment: unknown } = {
    project: spec.project ?? name,
    compose: composeFilesOf(spec),
    bundle: digest,
    environment: spec.environment ?? {},
    state: spec.state,
  };
  const told = { uid, name, generation, spec: order } as unknown as JsonObject;
  const gateMs = parseDuration(spec.health.timeout);
  const steps: GraphStep[] = hosts.map((host) =>
    step("prepare", host, { needs: [], with: told, finishMs: prepareMs }),
  );
  const ready = steps.map((_, at) => at);
  for (const [at, host] of hosts.entries()) {
    const needs = at === 0 ? ready : [steps.length - 1];
    // Time to become healthy, to go back and become healthy there, and to get ready again after a restart.
    steps.push(step("keep", host, { needs, with: { ...told, gateMs }, finishMs: 2 * gateMs + prepareMs }));
  }
  const last = steps.length === 0 ? [] : [steps.length - 1];
  for (const host of leaves)
    steps.push(
      step("remove", host, {
        needs: last,
        with: { ...told, gateMs: removeGateMs },
        finishMs: 2 * removeGateMs,
      }),
    );
  const graph: RunGraph = {
    steps,
    // What was asked for later comes later.
    limit: { key: `service ${uid}`, most: 1, over: "queue" },
  };
  return {
    run: {
      id: newUid(),
      scope,
      about: { kind: "Service", name, uid, generation },
      graph,
      inputs: {},
      cause,
      by,
    },
    bundle: { digest, content },
  };
}

function step(
  verb: "prepare" | "keep" | "remove",
  host: ChosenHost,
  { needs, with: given, finishMs }: { needs: readonly number[]; with: JsonObject; finishMs: number },
): GraphStep {
  return {
    name: `${verb}-${host.name}`,
    needs,
    rule: "all-succeeded",
    body: { does: "execute", executor: `service-${verb}`, with: given },
    timeouts: { startMs, finishMs },
    selector: `reeve/uid=${host.uid}`,
  };
}

/** The hosts that these steps of a run let go. */
export function removedBy(graph: RunGraph, done: (seq: number) => boolean): string[] {
  return graph.steps.flatMap(({ body, selector }, seq) =>
    body.does === "execute" && body.executor === "service-remove" && done(seq)
      ? [selector?.replace("reeve/uid=", "") ?? ""]
      : [],
  );
}
