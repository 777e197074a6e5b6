import { Fault } from "@reeve/model";
import { expect, test } from "vitest";
import type { Standing, WantedResource } from "./runs.ts";
import { admit, draft, statesOf, step, testBench } from "./testing.ts";

const make = (spec = {}) => ({ does: "make", kind: "Backup", spec }) as const;

/** An engine whose resources stand as the test says; `asked` is what was asked for. */
async function maker(stand: (wanted: WantedResource, time: number) => Standing) {
  const asked: WantedResource[] = [];
  const bench = await testBench(() => ({}), {
    hooks: { make: async (wanted) => stand(wanted, asked.push(wanted)) },
  });
  return { ...bench, asked };
}

test("a step that makes a resource waits for it and has its outputs; asked again, it asks for the same", async () => {
  const { database, runs, asked, agent } = await maker((_, time) => {
    // As if the process had died after it was made, before that was written.
    if (time === 1) throw new Error("gone");
    if (time === 2) return { state: "waiting", why: "half of it" };
    return { state: "succeeded", why: "", outputs: { backup: "one" } };
  });
  const id = await admit(
    database,
    runs,
    draft(
      {
        steps: [
          step("save", { body: make({ description: "of ${{ inputs.day }}" }) }),
          step("tell", {
            needs: [0],
            body: { does: "execute", executor: "noop", with: { text: "${{ steps.save.outputs.backup }}" } },
          }),
        ],
      },
      { inputs: { day: "monday" } },
    ),
  );
  await expect.poll(() => statesOf(database, id)).toEqual(["succeeded", "succeeded"]);
  expect(asked.map(({ made }) => made)).toEqual([false, false, true]);
  expect(new Set(asked.map(({ name }) => name)).size).toBe(1);
  expect(asked[0]).toMatchObject({ kind: "Backup", scope: "acme/shop", spec: { description: "of monday" } });
  expect(agent.offers.map((offer) => offer.with)).toEqual([{ text: "one" }]);
});

test("what cannot be made fails the step; done again, it makes another", async () => {
  const { database, runs, asked, operate } = await maker((_, time) => {
    if (time === 1) throw new Fault("precondition", "there is no room", { next: "make some" });
    return { state: "succeeded", why: "" };
  });
  const id = await admit(database, runs, draft({ steps: [step("save", { body: make() })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["failed"]);
  const [row] = await database.query<{ why: string }>("select why from step where run = $1", [id]);
  expect(row?.why).toBe("there is no room; make some");
  await expect
    .poll(
      async () => (await database.query("select 1 from run where id = $1 and state = 'failed'", [id])).length,
    )
    .toBe(1);
  await operate(id, { does: "retry", from: "failed" });
  await expect.poll(() => statesOf(database, id)).toEqual(["succeeded"]);
  expect(asked[0]?.name).not.toBe(asked[1]?.name);
});

test("a run that is cancelled does not wait for what it made", async () => {
  const { database, runs, operate } = await maker(() => ({ state: "waiting", why: "takes long" }));
  const id = await admit(database, runs, draft({ steps: [step("save", { body: make() })] }));
  await expect
    .poll(() => database.query("select why from step where run = $1", [id]))
    .toEqual([{ why: "takes long" }]);
  await operate(id, { does: "cancel", why: "" });
  await expect.poll(() => statesOf(database, id)).toEqual(["cancelled"]);
});

test("what failed is made again, as another one, as often as the step says", async () => {
  const { database, runs, asked } = await maker((_, time) =>
    time < 3 ? { state: "failed", why: "no room" } : { state: "succeeded", why: "" },
  );
  const retry = { times: 2, delayMs: 1 };
  const id = await admit(database, runs, draft({ steps: [step("save", { body: make(), retry })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["succeeded"]);
  expect(asked).toHaveLength(3);
  expect(new Set(asked.map(({ name }) => name)).size).toBe(3);
  expect(asked.every(({ made }) => !made)).toBe(true);
});

test.each([
  [{ finishMs: 1000 }, "took longer than 1s; what it made stays: takes long"],
  [{ overallMs: 1000, finishMs: 60_000 }, "took longer than 1s in all; what it made stays: takes long"],
])("a step with the timeouts %j does not wait for ever for what it made", async (timeouts, why) => {
  const { database, runs, asked } = await maker(() => ({ state: "waiting", why: "takes long" }));
  const id = await admit(database, runs, draft({ steps: [step("save", { body: make(), timeouts })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["failed"]);
  expect(await database.query("select why from step where run = $1", [id])).toEqual([{ why }]);
  expect(asked.map(({ made }) => made).slice(0, 2)).toEqual([false, true]);
});
