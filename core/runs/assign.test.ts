import type { Candidate } from "@reeve/store/runs";
import { expect, test } from "vitest";
import { assign, type FreeAgent } from "./assign.ts";
import type { KnownQueue } from "./queue-ids.ts";

function queue(scope: string): [string, KnownQueue] {
  return [scope, { id: scope, scope, executor: "shell", selector: "", terms: [] }];
}

function candidates(scope: string, count: number): Candidate[] {
  return Array.from({ length: count }, (_, seq) => ({
    ...{ run: scope, seq, queue: scope, def: 0, parent: null, item: null, epoch: 0, attempt: 0 },
    ...{ atMostOnce: false, exclusive: false },
  }));
}

function agent(uid: string, free: number): FreeAgent {
  return { uid, session: uid, scope: "", labels: {}, executors: new Set(["shell"]), free };
}

test("one of each scope is taken in turn, however many steps one has, each scope's in their order", () => {
  const queues = new Map([queue("acme/a"), queue("acme/b"), queue("other")]);
  const waiting = [...candidates("acme/a", 100), ...candidates("acme/b", 3), ...candidates("other", 1)];
  const taken = assign(waiting, [agent("one", 8)], queues);
  expect(taken.map(({ run, seq }) => `${run} ${seq}`)).toEqual([
    ...["acme/a 0", "acme/b 0", "other 0"],
    ...["acme/a 1", "acme/b 1"],
    ...["acme/a 2", "acme/b 2"],
    "acme/a 3",
  ]);
  for (const { at, run, seq } of taken) expect(waiting[at]).toMatchObject({ run, seq });
});

test("queues of one scope share its turns", () => {
  const [, known] = queue("acme/a");
  const queues = new Map([["left", known], ["right", known], queue("other")]);
  const of = (id: string) => candidates(id, 3).map((one) => ({ ...one, queue: id }));
  const taken = assign([...of("left"), ...of("right"), ...candidates("other", 3)], [agent("one", 4)], queues);
  expect(taken.map(({ run, seq }) => `${run} ${seq}`)).toEqual(["left 0", "other 0", "left 1", "other 1"]);
});

test("what is wide goes round the agents, those with the most room first, and none gets more than it has room for", () => {
  const queues = new Map([queue("acme")]);
  const taken = assign(
    candidates("acme", 9),
    [agent("small", 1), agent("large", 3), agent("full", 0)],
    queues,
  );
  expect(taken.map((one) => one.agent)).toEqual(["large", "small", "large", "large"]);
});
