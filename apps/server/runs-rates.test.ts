import { step } from "@reeve/runs/testing";
import { expect, test, vi } from "vitest";
import { testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";
import { openRunWorld } from "./testing-runs.ts";

interface Rate {
  readonly at: string;
  readonly begun: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly running: number;
}

test("rates count what began, ended and still runs, of the scopes that one may read", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await done(server.call("PUT", "/organizations/other", { body: {} }));
  let outcome = {};
  await world.agent(() => outcome, { scope: "acme" });
  const ended = async (id: string) =>
    vi.waitUntil(async () => (await world.run(id)).state !== "running", { timeout: 60_000 });
  await ended(await world.begin({ steps: [step("a")] }, { scope: "acme" }));
  outcome = { outcome: "failed", why: "exit 1" };
  await ended(await world.begin({ steps: [step("a")] }, { scope: "acme" }));
  await world.begin({ steps: [step("never")] }, { scope: "other" });

  const items: Rate[] = (await done(server.call("GET", "/runs/rates"))).body.items;
  expect(items).toHaveLength(48);
  expect(sums(items)).toEqual({ begun: 3, succeeded: 1, failed: 1 });
  expect(items.at(-1)?.running).toBe(1);

  const eve = await newUser(server, "eve", [{ role: "viewer", scope: "acme" }]);
  const seen: Rate[] = (await done(eve.call("GET", "/runs/rates?hours=1"))).body.items;
  expect(sums(seen)).toEqual({ begun: 2, succeeded: 1, failed: 1 });
  expect(seen.at(-1)?.running).toBe(0);
  expect((await eve.call("GET", "/runs/rates?scope=other")).status).toBe(404);
});

function sums(items: readonly Rate[]) {
  const sum = (what: "begun" | "succeeded" | "failed") => items.reduce((total, one) => total + one[what], 0);
  return { begun: sum("begun"), succeeded: sum("succeeded"), failed: sum("failed") };
}
