import type { JsonObject, Run, RunGraph, Step } from "@reeve/model";
import type { RunDraft, Runs } from "@reeve/runs";
import { admit, type Behaviour, draft, joinAgent, type TestAgent, testRuns } from "@reeve/runs/testing";
import { onTestFinished } from "vitest";
import type { TestServer } from "./testing.ts";
import { done } from "./testing-people.ts";

/** Runs for tests, made and carried out by an engine of their own beside the server, as another replica would. */
export interface RunWorld {
  readonly engine: Runs;
  begin(graph: RunGraph, more?: Partial<RunDraft>): Promise<string>;
  agent(
    behaviour: Behaviour,
    more?: { scope?: string; labels?: JsonObject; slots?: number; executors?: string[] },
  ): Promise<TestAgent>;
  run(id: string): Promise<Run>;
  steps(id: string, query?: string): Promise<Step[]>;
  step(id: string, name: string): Promise<Step>;
}

export function openRunWorld(server: TestServer): RunWorld {
  const engine = testRuns(server.database);
  onTestFinished(() => engine.stop());
  const read = async (path: string) => (await done(server.call("GET", path))).body;
  const steps = async (id: string, query = "") => (await read(`/runs/${id}/steps${query}`)).items as Step[];
  return {
    engine,
    begin: (graph, more) => admit(server.database, engine, draft(graph, more)),
    agent: (behaviour, more) => joinAgent(server.database, engine, behaviour, more),
    run: (id) => read(`/runs/${id}`),
    steps,
    async step(id, name) {
      const found = (await steps(id)).find((step) => step.name === name);
      if (found === undefined) throw new Error(`no step ${name}`);
      return found;
    },
  };
}
