import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { AttemptOutcome, type Finish, type OfferSchema, Ruling } from "@reeve/protocol/agent";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type Agent, startAgent } from "./agent.ts";
import { type AttemptKey, keyText } from "./attempt-key.ts";
import { commandLines } from "./attempts/testing.ts";
import type { Executor } from "./executor.ts";
import { hostFacts } from "./facts.ts";
import { enrol } from "./link/enrol.ts";
import type { Identity } from "./link/identity.ts";
import {
  answerAll,
  scratch,
  streamAt,
  type TestControlPlane,
  type TestStream,
  testControlPlane,
} from "./testing.ts";

const here = async () => true;
const sh: Executor = {
  name: "sh",
  available: here,
  prepare: async (order) => ({ does: "process", argv: ["sh", "-c", String(order.with.script)], env: {} }),
};

/** Bodies inside the agent: each waits until the test lets it go. */
function inside() {
  const begun: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const executor: Executor = {
    name: "inside",
    available: here,
    prepare: async (order) => ({
      does: "inside",
      async run() {
        begun.push(keyText(order));
        await released;
        return { outcome: "succeeded", why: "", outputs: { step: order.step } };
      },
    }),
  };
  return { begun, release, executor };
}

const noop: Executor = {
  name: "noop",
  available: here,
  prepare: async () => ({ does: "inside", run: async () => ({ outcome: "succeeded", why: "" }) }),
};

interface Joined {
  readonly folder: string;
  readonly identity: Identity;
  start(...executors: Executor[]): Promise<Agent>;
}

async function joined(plane: TestControlPlane, folder = scratch()): Promise<Joined> {
  const identity = await enrol({
    urls: [plane.url],
    token: plane.token,
    name: "web-1",
    labels: {},
    facts: hostFacts("1.2.3", []),
  });
  return {
    folder,
    identity,
    async start(...executors) {
      const agent = await startAgent({
        folder,
        identity,
        keepIdentity: async () => {},
        executors: [sh, noop, ...executors],
        slots: 8,
        version: "1.2.3",
        log: () => {},
      });
      onTestFinished(() => agent.stop());
      return agent;
    },
  };
}

const run = randomUUID();
const key = (seq: number, epoch = 1): AttemptKey => ({ run, seq, epoch });

type OfferInit = Omit<MessageInitShape<typeof OfferSchema>, "$typeName" | "$unknown">;

function offer(seq: number, more: OfferInit = {}): OfferInit {
  return {
    attempt: key(seq),
    executor: "noop",
    with: "{}",
    attemptNumber: 1,
    step: `s${seq}`,
    scope: "acme",
    ...more,
  };
}

function script(seq: number, text: string, more: OfferInit = {}) {
  return offer(seq, { executor: "sh", with: JSON.stringify({ script: text }), ...more });
}

function say(stream: TestStream, ...offers: OfferInit[]): void {
  stream.say({ case: "offers", value: { offers } });
}

function rule(stream: TestStream, attempt: AttemptKey, ruling = Ruling.OK): void {
  stream.say({ case: "verdicts", value: { verdicts: [{ attempt, ruling }] } });
}

function record(stream: TestStream, attempt: AttemptKey): void {
  stream.say({ case: "verdicts", value: { verdicts: [{ attempt, ruling: Ruling.OK, onFinish: true }] } });
}

const acceptsOf = (stream: TestStream) =>
  stream.heard.flatMap((one) => (one.case === "accepts" ? one.value.attempts.map(({ seq }) => seq) : []));
const finishesOf = (stream: TestStream): Finish[] =>
  stream.heard.flatMap((one) => (one.case === "finishes" ? one.value.finishes : []));
const seqsOf = (finishes: readonly Finish[]) => finishes.map(({ attempt }) => attempt?.seq).sort();
const inventoryOf = ({ heard: [hello] }: TestStream) =>
  hello?.case === "hello" ? hello.value.inventory.map(({ seq }) => seq).sort() : undefined;

/** Answers hellos and beats only: rulings are the test's. */
function rulingsByHand(plane: TestControlPlane): void {
  plane.answer = (message, stream) => {
    if (message.case === "hello" || message.case === "beat") answerAll(message, stream);
  };
}

const careful = { executor: "inside", atMostOnce: true };

test("what may happen more than once begins as it comes, and is spooled, accepted, ended and forgotten", async () => {
  const plane = await testControlPlane();
  rulingsByHand(plane);
  const { folder, start } = await joined(plane);
  const bodies = inside();
  await start(bodies.executor);
  const stream = await streamAt(plane, 0);
  say(stream, offer(1, { executor: "inside" }));
  await expect.poll(() => bodies.begun).toEqual([keyText(key(1))]);
  await expect.poll(() => acceptsOf(stream)).toEqual([1]);
  expect(readFileSync(join(folder, "spool"), "utf8")).toContain(run);
  rule(stream, key(1));
  bodies.release();
  await expect.poll(() => seqsOf(finishesOf(stream))).toEqual([1]);
  record(stream, key(1));
  stream.cut();
  await expect.poll(() => plane.streams[1] && inventoryOf(plane.streams[1])).toEqual([]);
  expect(bodies.begun).toEqual([keyText(key(1))]);
});

test("one that has begun and is fenced by the verdict on its accept is ended, unheard", async () => {
  const plane = await testControlPlane();
  rulingsByHand(plane);
  const { folder, start } = await joined(plane);
  await start();
  const stream = await streamAt(plane, 0);
  say(stream, script(1, "sleep 64"));
  await expect.poll(() => acceptsOf(stream)).toEqual([1]);
  await expect.poll(() => running("sleep 64")).not.toEqual([]);
  rule(stream, key(1), Ruling.FENCED);
  await expect.poll(() => running("sleep 64")).toEqual([]);
  await nothingIsHeld(folder);
  stream.cut();
  await expect.poll(() => plane.streams[1] && inventoryOf(plane.streams[1])).toEqual([]);
  expect(finishesOf(stream)).toEqual([]);
});

test("an offer that comes after its stop was answered begins nothing", async () => {
  const plane = await testControlPlane();
  const bodies = inside();
  await (await joined(plane)).start(bodies.executor);
  const stream = await streamAt(plane, 0);
  stream.say({ case: "stops", value: { stops: [{ attempt: key(1), graceMs: 0, why: "cancelled" }] } });
  say(stream, offer(1, { executor: "inside" }), offer(2, { executor: "inside" }));
  await expect.poll(() => bodies.begun).toEqual([keyText(key(2))]);
  // Told in a message of its own, whichever is first.
  await expect
    .poll(() => finishesOf(stream))
    .toMatchObject([{ attempt: key(1), outcome: AttemptOutcome.CANCELLED }]);
});

test("an offer that comes once more after the end was recorded begins nothing, and takes no slot", async () => {
  const plane = await testControlPlane();
  const { folder, start } = await joined(plane);
  await start();
  const stream = await streamAt(plane, 0);
  const again = script(1, `echo begun >> ${folder}/begun`);
  say(stream, again);
  await expect.poll(() => seqsOf(finishesOf(stream))).toEqual([1]);
  say(stream, again, offer(2));
  await expect.poll(() => seqsOf(finishesOf(stream))).toEqual([1, 2]);
  expect(readFileSync(`${folder}/begun`, "utf8")).toBe("begun\n");
  await nothingIsHeld(folder);
  stream.cut();
  await expect.poll(() => plane.streams[1] && inventoryOf(plane.streams[1])).toEqual([]);
});

test("one whose end is said to be recorded while it runs is stopped, and leaves nothing", async () => {
  const plane = await testControlPlane();
  rulingsByHand(plane);
  const { folder, start } = await joined(plane);
  await start();
  const stream = await streamAt(plane, 0);
  say(stream, script(1, "echo here; sleep 67"));
  await expect.poll(() => running("sleep 67")).not.toEqual([]);
  record(stream, key(1));
  await expect.poll(() => running("sleep 67")).toEqual([]);
  await nothingIsHeld(folder);
});

test.each([{ atMostOnce: true }, { exclusive: true }, { hasSecrets: true }])(
  "with %o an offer is spooled, then accepted; the body begins when the accept is acknowledged; a recorded end is forgotten",
  async (more) => {
    const plane = await testControlPlane();
    rulingsByHand(plane);
    const { folder, start } = await joined(plane);
    const bodies = inside();
    await start(bodies.executor);
    const stream = await streamAt(plane, 0);
    say(stream, offer(1, { executor: "inside", ...more }));
    await expect.poll(() => acceptsOf(stream)).toEqual([1]);
    expect(readFileSync(join(folder, "spool"), "utf8")).toContain(run);
    expect(bodies.begun).toEqual([]);
    rule(stream, key(1));
    await expect.poll(() => bodies.begun).toEqual([keyText(key(1))]);
    bodies.release();
    await expect
      .poll(() => finishesOf(stream))
      .toMatchObject([{ attempt: key(1), outcome: AttemptOutcome.SUCCEEDED, outputs: '{"step":"s1"}' }]);
    record(stream, key(1));
    stream.cut();
    await expect.poll(() => plane.streams[1] && inventoryOf(plane.streams[1])).toEqual([]);
  },
);

test("an accept that nobody ruled on is sent again on the next connection, and begins once", async () => {
  const plane = await testControlPlane();
  rulingsByHand(plane);
  const bodies = inside();
  await (await joined(plane)).start(bodies.executor);
  const first = await streamAt(plane, 0);
  say(first, offer(1, careful));
  await expect.poll(() => acceptsOf(first)).toEqual([1]);
  first.cut();
  const second = await streamAt(plane, 1);
  expect(inventoryOf(second)).toEqual([1]);
  await expect.poll(() => acceptsOf(second)).toEqual([1]);
  rule(second, key(1));
  rule(second, key(1));
  bodies.release();
  await expect.poll(() => seqsOf(finishesOf(second))).toEqual([1]);
  expect(bodies.begun).toEqual([keyText(key(1))]);
});

test("an accept that is fenced begins nothing, and nothing is held of it", async () => {
  const plane = await testControlPlane();
  rulingsByHand(plane);
  const bodies = inside();
  await (await joined(plane)).start(bodies.executor);
  const stream = await streamAt(plane, 0);
  say(stream, offer(1, careful));
  await expect.poll(() => acceptsOf(stream)).toEqual([1]);
  rule(stream, key(1), Ruling.FENCED);
  stream.cut();
  expect(inventoryOf(await streamAt(plane, 1))).toEqual([]);
  expect(bodies.begun).toEqual([]);
});

test("a finish of what ended at once says that it was accepted too, and is repeated until somebody does", async () => {
  const plane = await testControlPlane();
  rulingsByHand(plane);
  await (await joined(plane)).start();
  const first = await streamAt(plane, 0);
  say(first, offer(1));
  await expect.poll(() => seqsOf(finishesOf(first))).toEqual([1]);
  expect(acceptsOf(first)).toEqual([]);
  first.cut();
  const second = await streamAt(plane, 1);
  expect(inventoryOf(second)).toEqual([1]);
  await expect.poll(() => seqsOf(finishesOf(second))).toEqual([1]);
  record(second, key(1));
  second.cut();
  expect(inventoryOf(await streamAt(plane, 2))).toEqual([]);
});

test("an end that nobody acknowledged is on the disk soon after it was reported, and is reported by the next process", async () => {
  const plane = await testControlPlane();
  rulingsByHand(plane);
  const { folder, start } = await joined(plane);
  const former = await start();
  const first = await streamAt(plane, 0);
  say(first, offer(1));
  await expect.poll(() => seqsOf(finishesOf(first))).toEqual([1]);
  await expect
    .poll(() => readFileSync(join(folder, "spool"), "utf8"))
    .toContain(`{"ended":"${keyText(key(1))}"`);
  await former.stop();
  await start();
  const second = await streamAt(plane, 1);
  expect(inventoryOf(second)).toEqual([1]);
  await expect
    .poll(() => finishesOf(second).map(({ outcome }) => outcome))
    .toEqual([AttemptOutcome.SUCCEEDED]);
});

test("after a restart the agent holds what runs, what ended meanwhile and what it had only accepted", async () => {
  const plane = await testControlPlane();
  const { folder, start } = await joined(plane);
  const gate = join(folder, "gate");
  const former = await start();
  const first = await streamAt(plane, 0);
  const waits = (n: number) =>
    `while [ ! -e ${gate}${n} ]; do sleep 0.05; done; echo seq=${n} >$REEVE_OUTPUTS`;
  say(first, script(1, waits(1)), script(2, waits(2)));
  await expect.poll(() => acceptsOf(first).length).toBe(2);
  const recordOf = (seq: number) => join(folder, "attempts", keyText(key(seq)), "record");
  await expect.poll(() => [1, 2].every((seq) => existsSync(recordOf(seq)))).toBe(true);
  plane.answer = () => {};
  say(first, offer(3, { atMostOnce: true }));
  await expect.poll(() => acceptsOf(first)).toContain(3);
  await former.stop();
  writeFileSync(`${gate}1`, "");
  await expect.poll(() => readFileSync(recordOf(1), "utf8")).toMatch(/^exit 0/);
  plane.answer = answerAll;
  await start();
  const second = await streamAt(plane, 1);
  expect(inventoryOf(second)).toEqual([1, 2, 3]);
  await expect.poll(() => seqsOf(finishesOf(second))).toEqual([1, 3]);
  writeFileSync(`${gate}2`, "");
  await expect.poll(() => seqsOf(finishesOf(second))).toEqual([1, 2, 3]);
  for (const finish of finishesOf(second)) expect(finish.outcome).toBe(AttemptOutcome.SUCCEEDED);
});

test("an agent that is stopped accepts what has just begun before it leaves, and begins nothing more", async () => {
  const plane = await testControlPlane();
  rulingsByHand(plane);
  const agent = await (await joined(plane)).start();
  const stream = await streamAt(plane, 0);
  const mark = join(scratch(), "mark");
  const late = `${mark}-late`;
  // It outlives the agent, and ends when the test's folder is gone.
  say(stream, script(1, `echo begun >${mark}; while [ -e ${mark} ]; do sleep 0.05; done`));
  await expect.poll(() => existsSync(mark), { interval: 1 }).toBe(true);
  const stopped = agent.stop();
  say(stream, script(2, `echo begun >${late}`));
  await stopped;
  const told = stream.heard.map((one) => one.case).filter((name) => name === "accepts" || name === "leave");
  expect(told).toEqual(["accepts", "leave"]);
  expect(acceptsOf(stream)).toEqual([1]);
  expect(existsSync(late)).toBe(false);
});

test("what ran inside the agent and may run at most once is lost with it, and does not begin again", async () => {
  const plane = await testControlPlane();
  const { start } = await joined(plane);
  const bodies = inside();
  const former = await start(bodies.executor);
  const first = await streamAt(plane, 0);
  say(first, offer(1, { executor: "inside", atMostOnce: true }), offer(2, { executor: "inside" }));
  await expect.poll(() => bodies.begun.length).toBe(2);
  await former.stop();
  const again = inside();
  again.release();
  await start(again.executor);
  const second = await streamAt(plane, 1);
  await expect.poll(() => seqsOf(finishesOf(second))).toEqual([1, 2]);
  const outcomes = Object.fromEntries(finishesOf(second).map((one) => [one.attempt?.seq, one.outcome]));
  expect(outcomes).toEqual({ 1: AttemptOutcome.LOST, 2: AttemptOutcome.SUCCEEDED });
  expect(again.begun).toEqual([keyText(key(2))]);
});

test("while the control plane is away work goes on, and every end arrives once it is back", async () => {
  const plane = await testControlPlane();
  const { folder, start } = await joined(plane);
  await start();
  const first = await streamAt(plane, 0);
  const [ledger, gate] = [join(folder, "ledger"), join(folder, "gate")];
  const seqs = [1, 2, 3, 4, 5];
  const body = (seq: number) => `until [ -e ${gate} ]; do sleep 0.1; done; echo ${seq} >>${ledger}`;
  say(first, ...seqs.map((seq) => script(seq, body(seq))));
  await expect.poll(() => acceptsOf(first).length).toBe(5);
  await plane.stop();
  writeFileSync(gate, "");
  const done = () =>
    existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n").map(Number).sort() : [];
  await expect.poll(done).toEqual(seqs);
  await plane.start();
  const second = await streamAt(plane, 1);
  await expect.poll(() => seqsOf(finishesOf(second))).toEqual(seqs);
  expect(done()).toEqual(seqs);
});

test("a stop ends an attempt as cancelled; one that the welcome fences, or says to have been settled, ends unheard", async () => {
  const plane = await testControlPlane();
  const { folder, start } = await joined(plane);
  await start();
  const first = await streamAt(plane, 0);
  say(first, script(1, "sleep 60"), script(2, "sleep 60"), script(3, "sleep 60"));
  await expect.poll(() => acceptsOf(first).length).toBe(3);
  first.say({
    case: "stops",
    value: { stops: [{ attempt: key(1), graceMs: 1000, why: "cancelled by ada" }] },
  });
  await expect
    .poll(() => finishesOf(first))
    .toMatchObject([{ attempt: key(1), outcome: AttemptOutcome.CANCELLED }]);
  plane.answer = (message, stream) => {
    if (message.case !== "hello") return answerAll(message, stream);
    const value = { leaseMs: 30_000, beatMs: 100, fenced: [key(2)], known: [key(3)] };
    stream.say({ case: "welcome", value });
  };
  first.cut();
  const second = await streamAt(plane, 1);
  await expect.poll(() => running("sleep 60")).toEqual([]);
  await nothingIsHeld(folder);
  second.cut();
  await expect.poll(() => plane.streams[2] && inventoryOf(plane.streams[2])).toEqual([]);
  expect(finishesOf(second)).toEqual([]);
});

test("a stop of what the agent does not hold is answered: it did not run", async () => {
  const plane = await testControlPlane();
  rulingsByHand(plane);
  await (await joined(plane)).start();
  const stream = await streamAt(plane, 0);
  stream.say({ case: "stops", value: { stops: [{ attempt: key(9), graceMs: 0, why: "cancelled" }] } });
  await expect
    .poll(() => finishesOf(stream))
    .toMatchObject([{ attempt: key(9), outcome: AttemptOutcome.CANCELLED }]);
});

test("an agent whose identity is gone stops what it runs and ends", async () => {
  const plane = await testControlPlane();
  const agent = await (await joined(plane)).start();
  const stream = await streamAt(plane, 0);
  say(stream, script(1, "sleep 61"));
  await expect.poll(() => running("sleep 61").length).toBeGreaterThan(0);
  plane.refuse = Code.Unauthenticated;
  stream.cut();
  expect(await agent.ended).toEqual({ reason: "revoked", why: "this agent was revoked" });
  expect(running("sleep 61")).toEqual([]);
});

test("an exclusive attempt stops itself before its lease can have run out; others go on", async () => {
  const plane = await testControlPlane();
  plane.answer = (message, stream) => {
    if (message.case === "hello") stream.say({ case: "welcome", value: { leaseMs: 6000, beatMs: 60_000 } });
    else answerAll(message, stream);
  };
  await (await joined(plane)).start();
  const stream = await streamAt(plane, 0);
  say(stream, script(1, "sleep 62", { exclusive: true }), script(2, "sleep 63"));
  await expect
    .poll(() => finishesOf(stream))
    .toMatchObject([{ attempt: key(1), outcome: AttemptOutcome.LOST }]);
  expect(running("sleep 62")).toEqual([]);
  expect(running("sleep 63")).not.toEqual([]);
  stream.say({ case: "stops", value: { stops: [{ attempt: key(2), graceMs: 0, why: "the test is over" }] } });
  await expect.poll(() => running("sleep 63")).toEqual([]);
});

test("an exclusive attempt whose accept is acknowledged when the lease may have run out begins only when it is again", async () => {
  const plane = await testControlPlane();
  plane.answer = (message, stream) => {
    if (message.case === "hello") stream.say({ case: "welcome", value: { leaseMs: 3000, beatMs: 60_000 } });
    else if (plane.streams.length > 1) answerAll(message, stream);
  };
  await (await joined(plane)).start();
  const stream = await streamAt(plane, 0);
  say(stream, script(1, "sleep 64", { exclusive: true }));
  await expect.poll(() => acceptsOf(stream)).toEqual([1]);
  await sleep(3000);
  stream.say({ case: "verdicts", value: { verdicts: [{ attempt: key(1), ruling: Ruling.OK }] } });
  await sleep(500);
  expect(running("sleep 64")).toEqual([]);
  stream.cut();
  const next = await streamAt(plane, 1);
  await expect.poll(() => running("sleep 64").length).toBeGreaterThan(0);
  next.say({ case: "stops", value: { stops: [{ attempt: key(1), graceMs: 0, why: "the test is over" }] } });
  await expect.poll(() => running("sleep 64")).toEqual([]);
});

test(
  "on a full disk what may happen once is not accepted, the rest goes elsewhere, the beats say so, and what ends is told",
  needs("rootMount"),
  async () => {
    const folder = scratch();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", folder]);
    onTestFinished(() => void execFileSync("umount", ["-l", folder]));
    const plane = await testControlPlane();
    const { start } = await joined(plane, folder);
    const bodies = inside();
    await start(bodies.executor);
    const stream = await streamAt(plane, 0);
    say(stream, offer(1, { executor: "inside" }));
    await expect.poll(() => acceptsOf(stream)).toEqual([1]);
    const filler = join(folder, "filler");
    expect(() => {
      for (;;) appendFileSync(filler, Buffer.alloc(4096, "x"));
    }).toThrow("ENOSPC");
    say(stream, offer(2, { atMostOnce: true, with: JSON.stringify({ text: "x".repeat(10_000) }) }));
    say(stream, script(4, "true"));
    await expect
      .poll(() => finishesOf(stream))
      .toMatchObject([{ attempt: key(4), outcome: AttemptOutcome.LOST, why: expect.stringMatching(/full/) }]);
    const lastBeat = () => stream.heard.findLast((one) => one.case === "beat")?.value;
    await expect
      .poll(() => lastBeat()?.status?.troubles)
      .toEqual([expect.stringMatching(/disk is full|ENOSPC/)]);
    expect(lastBeat()?.freeSlots).toBe(0);
    bodies.release();
    await expect.poll(() => seqsOf(finishesOf(stream))).toEqual([1, 4]);
    expect(acceptsOf(stream)).not.toContain(2);
    rmSync(filler);
    await expect.poll(() => lastBeat()?.freeSlots).toBe(8);
    say(stream, offer(3));
    await expect.poll(() => seqsOf(finishesOf(stream))).toEqual([1, 3, 4]);
  },
);

test("5,000 steps pass, each begun and finished once, and the spool does not keep them", async () => {
  const plane = await testControlPlane();
  const { folder, start } = await joined(plane);
  await start();
  const stream = await streamAt(plane, 0);
  const seqs = Array.from({ length: 5000 }, (_, at) => at + 1);
  for (let at = 0; at < seqs.length; at += 500)
    say(stream, ...seqs.slice(at, at + 500).map((seq) => offer(seq)));
  await expect.poll(() => finishesOf(stream).length).toBe(5000);
  expect(new Set(seqsOf(finishesOf(stream))).size).toBe(5000);
  stream.cut();
  expect(inventoryOf(await streamAt(plane, 1))).toEqual([]);
  mkdirSync(folder, { recursive: true });
});

/** What has ended is let go a moment after its process. */
async function nothingIsHeld(folder: string): Promise<void> {
  await expect.poll(() => readdirSync(join(folder, "attempts"))).toEqual([]);
}

/** Command lines of this machine's processes that end with the text. */
function running(text: string): string[] {
  return [...commandLines().values()].filter((line) => line.endsWith(text));
}
