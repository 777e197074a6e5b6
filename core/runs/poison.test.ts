import { expect, test } from "vitest";
import { admit, draft, stateOf, step, testBench } from "./testing.ts";

test("a run that cannot be settled keeps no other from its end", async () => {
  let broken = true;
  const { database, runs } = await testBench(() => ({}), {
    hooks: {
      async ended(_, [run]) {
        if (broken && run?.ending.bad === true) throw new Error("not now");
      },
    },
  });
  const bad = await admit(database, runs, draft({ steps: [step("a")], ending: { bad: true } }));
  await expect.poll(async () => (await database.query("select 1 from run where open = 0")).length).toBe(1);
  const good = await admit(database, runs, draft({ steps: [step("a")], ending: {} }));
  await expect.poll(() => stateOf(database, good)).toBe("succeeded");
  expect(await stateOf(database, bad)).toBe("running");
  broken = false;
  await expect.poll(() => stateOf(database, bad)).toBe("succeeded");
});
