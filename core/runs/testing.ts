import { type GraphStep, type JsonObject, newUid, type RunGraph } from "@reeve/model";
import type { Database } from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { onTestFinished } from "vitest";
import { openRuns, type RunsOptions } from "./engine.ts";
import type {
  AgentEar,
  AgentWelcome,
  FinishedStep,
  Held,
  OfferedStep,
  RunDraft,
  RunHooks,
  RunOperation,
  Runs,
} from "./runs.ts";

const quiet = { info() {}, warn() {}, error() {}, debug() {} };

/** An engine on a test's own database. */
export type TestOptions = Partial<Omit<RunsOptions, "hooks">> & { readonly hooks?: Partial<RunHooks> };

export function testRuns(database: Database, options: TestOptions = {}): Runs {
  const { hooks, ...others } = options;
  return openRuns({
    database,
    replica: "test",
    works: true,
    log: quiet,
    hooks: {
      secrets: async (_, value) => ({ value, hide: [] }),
      draft: async () => {
        throw new Error("no definitions here");
      },
      make: async () => {
        throw new Error("no resources here");
      },
      admitted: async () => {},
      ended: async () => {},
      ...hooks,
    },
    ...others,
  });
}

export function step(name: string, more: Partial<GraphStep> = {}): GraphStep {
  return {
    name,
    needs: [],
    rule: "all-succeeded",
    body: { does: "execute", executor: "noop", with: {} },
    ...more,
  };
}

/** A step's body that begins a run of one of these definitions. */
export function begins(name: string, inputs: JsonObject = {}): GraphStep["body"] {
  return { does: "run", kind: "Workflow", name, inputs };
}

export function definitions(graphs: Readonly<Record<string, RunGraph>>): Partial<RunHooks> {
  return {
    async draft(scope, { kind, name, inputs }) {
      const about = { kind, name, uid: newUid(), generation: 1 };
      return { scope, inputs, about, graph: graphs[name] as RunGraph };
    },
  };
}

export function draft(graph: RunGraph, more: Partial<RunDraft> = {}): RunDraft {
  return {
    id: newUid(),
    scope: "acme/shop",
    about: { kind: "Workflow", name: "test", uid: newUid(), generation: 1 },
    graph,
    inputs: {},
    cause: "person",
    by: "user:ada",
    ...more,
  };
}

export async function admit(database: Database, runs: Runs, ...drafts: RunDraft[]): Promise<string> {
  await database.transact((sql) => runs.admit(sql, drafts));
  runs.wake();
  return drafts[0]?.id ?? "";
}

export type Behaviour = (
  offer: OfferedStep,
) => Promise<Partial<FinishedStep> | "never"> | Partial<FinishedStep> | "never";

/** An agent without a process: accepts what it is offered and ends it as it is told to. */
export interface TestAgent {
  readonly uid: string;
  readonly session: string;
  readonly offers: OfferedStep[];
  readonly stops: Held[];
  readonly farewells: string[];
  beat(): Promise<boolean>;
  finish(offer: Held, how?: Partial<FinishedStep>): Promise<"ok" | "fenced">;
  hello(inventory?: readonly Held[], session?: string): Promise<AgentWelcome>;
}

export async function joinAgent(
  database: Database,
  runs: Runs,
  behaviour: Behaviour,
  more: { uid?: string; scope?: string; labels?: JsonObject; slots?: number; executors?: string[] } = {},
): Promise<TestAgent> {
  const { uid = newUid(), scope = "", labels = {}, slots = 10, executors = ["noop"] } = more;
  await database.query(
    `insert into agent (uid, scope, name, identity, identity_expires_at, labels, state, lease_until, beat_at)
     values ($1, $2, $3, $4, now() + interval '1 day', $5, 'joined', now(), now()) on conflict (uid) do nothing`,
    [uid, scope, `agent-${uid.slice(-6)}`, identityOf(uid), JSON.stringify(labels)],
  );
  let session = newUid() as string;
  let free = slots;
  const ear: AgentEar = {
    offer(offers) {
      for (const offer of offers) void take(offer).catch(() => {});
    },
    stop: (stops) => void agent.stops.push(...stops),
    farewell: (reason) => void agent.farewells.push(reason),
  };
  async function take(offer: OfferedStep): Promise<void> {
    agent.offers.push(offer);
    free--;
    const [verdict] = await runs.agents.accept(uid, session, [held(offer)], free);
    if (verdict?.ruling !== "ok") {
      free++;
      return;
    }
    const how = await behaviour(offer);
    if (how !== "never") await agent.finish(offer, how);
  }
  const agent: TestAgent = {
    uid,
    get session() {
      return session;
    },
    offers: [],
    stops: [],
    farewells: [],
    beat: () => runs.agents.beat(uid, session, free, {}),
    async finish(offer, how = {}) {
      free++;
      const finish = { ...held(offer), outcome: "succeeded", why: "", final: false, ...how } as const;
      const [ruling] = await runs.agents.finish(uid, session, [finish], free);
      return ruling?.ruling ?? "fenced";
    },
    async hello(inventory = [], next = newUid()) {
      session = next;
      const hello = {
        uid,
        identity: identityOf(uid),
        session,
        slots,
        executors,
        facts: {},
        inventory,
        number: 0,
      };
      return (await runs.agents.hello(hello, ear)) as AgentWelcome;
    },
  };
  await agent.hello();
  return agent;
}

/** What a test's agent shows. */
export function identityOf(uid: string): Buffer {
  return Buffer.from(uid);
}

export function held({ run, seq, epoch }: Held): Held {
  return { run, seq, epoch };
}

/** An engine with one agent, on a database of its own. */
export async function testBench(behaviour: Behaviour = () => ({}), options: TestOptions = {}) {
  const { database } = await testDatabase();
  const runs = testRuns(database, options);
  onTestFinished(() => runs.stop());
  const agent = await joinAgent(database, runs, behaviour);
  const operate = async (run: string, operation: RunOperation) => {
    await database.transact((sql) => runs.operate(sql, run, operation, "user:ada"));
    runs.wake();
  };
  return { database, runs, agent, operate };
}

export async function stateOf(database: Database, run: string): Promise<string> {
  const [row] = await database.query<{ state: string }>("select state from run where id = $1", [run]);
  return row?.state ?? "none";
}

/** What each item of a run's fan-outs waits for, or its state. */
export async function itemsOf(database: Database, run: string): Promise<string[]> {
  const rows = await database.query<{ seen: string }>(
    "select coalesce(reason, state) as seen from step where run = $1 and parent is not null order by seq",
    [run],
  );
  return rows.map((row) => row.seen);
}

export async function statesOf(database: Database, run: string): Promise<string[]> {
  const rows = await database.query<{ state: string }>("select state from step where run = $1 order by seq", [
    run,
  ]);
  return rows.map((row) => row.state);
}
