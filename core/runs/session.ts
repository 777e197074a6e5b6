import { Fault, hasEnded } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { type AgentRow, heldSteps, lockAgent, peekSteps, type StepRow, takeSession } from "@reeve/store/runs";
import { attemptLost, mayHaveBegun } from "./attempt-ended.ts";
import { keyOf, lockBoth } from "./finish.ts";
import type { Plans } from "./plans.ts";
import type { AgentHello, Held, OvertakenHello } from "./runs.ts";
import { begunWakeMs } from "./timeouts.ts";
import {
  changeStep,
  definitionOf,
  type LockedRun,
  openTurn,
  type Turn,
  type Wrote,
  writeTurn,
} from "./turn.ts";

export interface Taken {
  readonly scope: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly drained: boolean;
  readonly fenced: Held[];
  readonly known: Held[];
  readonly wrote: Wrote;
}

/**
 * Takes an agent's session over, in one transaction: from here on nobody else acts for it; what it no longer has is settled;
 * what it has and is not its own, it is told.
 */
export async function takeOver(
  sql: Sql,
  hello: AgentHello,
  { replica, leaseMs, plans }: { replica: string; leaseMs: number; plans: Plans },
): Promise<Taken | OvertakenHello> {
  const agent = await lockAgent(sql, hello.uid);
  if (agent === undefined || !isServed(hello, agent))
    throw new Fault("not_found", "there is no such agent", { next: "join again with a new token" });
  if (isOvertaken(hello, agent)) return { newest: agent.helloNumber };
  const seen = await heldSteps(sql, hello.uid);
  await takeSession(sql, {
    uid: hello.uid,
    session: hello.session,
    replica,
    slots: hello.slots,
    hello: { executors: [...hello.executors], facts: hello.facts },
    helloNumber: hello.number,
    leaseMs,
  });
  const [runs, steps] =
    seen.length > 0 ? await lockBoth(sql, seen, plans) : [new Map(), new Map<string, StepRow>()];
  // Under the locks: until they are held, what was only offered may be accepted.
  const running = [...steps.values()].filter((step) => step.agent === hello.uid && step.state === "running");
  if (hasPredecessor(agent) && running.some(({ exclusive }) => exclusive))
    throw new Fault("unavailable", "the machine before this one may still do what must not overlap", {
      next: "it goes on when that has ended, or when that machine's lease is over",
    });
  const epochs = new Map(hello.inventory.map((held) => [keyOf(held), held.epoch]));
  const turn = openTurn();
  for (const step of steps.values()) {
    const run = runs.get(step.run);
    if (run === undefined || step.agent !== hello.uid || !isHeld(step)) continue;
    if (epochs.get(keyOf(step)) !== step.epoch) {
      if (step.reason !== "lost") attemptLost(turn, run, step, "its agent came back without it");
    } else if (step.reason === "lost" || (step.state === "offered" && mayHaveBegun(step)))
      isThere(turn, run, step);
  }
  const strangers = hello.inventory.filter(({ epoch, ...at }) => {
    const step = steps.get(keyOf(at));
    return step === undefined || step.epoch !== epoch || step.agent !== hello.uid || !isHeld(step);
  });
  const others = strangers.length > 0 ? await peekSteps(sql, strangers) : [];
  const known = strangers.filter((held) => isRecorded(others, held, hello.uid));
  return {
    scope: agent.scope,
    labels: agent.labels,
    drained: agent.drained,
    known,
    fenced: strangers.filter((held) => !known.includes(held)),
    wrote: await writeTurn(sql, turn),
  };
}

/**
 * A hello may be held up, here or on its way, until the agent has given it up and said another one. By then it knows nothing of what
 * the agent has begun since, and would give that away. Its own number is a hello's that is carried out again.
 */
function isOvertaken({ number, session }: AgentHello, { helloNumber, session: present }: AgentRow): boolean {
  if (number === 0 || number > helloNumber) return false;
  return number < helloNumber || session !== present;
}

/** Looked at again under the agent's lock: it may have been revoked, or another machine have joined in its place. */
function isServed({ identity: shown }: AgentHello, { revoked, identity, identityBefore }: AgentRow): boolean {
  return !revoked && (shown.equals(identity) || (identityBefore !== null && shown.equals(identityBefore)));
}

/** Another machine has joined in the place of one that nobody has heard the end of. */
function hasPredecessor({ session, leased }: AgentRow): boolean {
  return session === null && leased;
}

function isHeld({ state, reason }: StepRow): boolean {
  return state === "offered" || state === "running" || reason === "lost";
}

/**
 * The agent is back with an attempt that we had given up for lost, with nothing else begun in its place; or with one that it began
 * when it was offered and whose accept we have not heard.
 */
function isThere(turn: Turn, run: LockedRun, step: StepRow): void {
  const wakeMs = begunWakeMs(definitionOf({ run, step }), step);
  changeStep(turn, step, { state: "running", reason: null, why: "", wakeMs });
}

function isRecorded(steps: readonly StepRow[], { run, seq, epoch }: Held, agent: string): boolean {
  return steps.some(
    (step) =>
      step.run === run &&
      step.seq === seq &&
      step.epoch === epoch &&
      step.agent === agent &&
      (hasEnded(step.state) || step.reason === "retry"),
  );
}
