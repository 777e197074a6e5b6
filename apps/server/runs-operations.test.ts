import type { Run } from "@reeve/model";
import { step } from "@reeve/runs/testing";
import { expect, test, vi } from "vitest";
import { type Answer, type TestServer, testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";
import { openRunWorld } from "./testing-runs.ts";

const until = (fits: () => Promise<boolean>) => vi.waitUntil(fits, { timeout: 60_000, interval: 50 });

async function audited(server: TestServer, operation: string) {
  return (await done(server.call("GET", `/audit?kind=Run&operation=${operation}`))).body.items;
}

test("cancel, pause, resume and retry do what they say, once for a key, each with its audit row and event", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  let fails = true;
  await world.agent(() => (fails ? { outcome: "failed", why: "exit 1" } : {}));
  const id = await world.begin({
    steps: [step("gate", { body: { does: "approve", text: "go?" } }), step("a", { needs: [0] })],
  });
  const steer = (what: string, body: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    server.call("POST", `/runs/${id}/${what}`, { body, headers });
  expect((await done(steer("pause"))).body).toMatchObject({ id, paused: true });
  expect(await steer("pause")).toMatchObject({
    status: 412,
    body: { detail: expect.stringContaining("paused already") },
  });
  expect((await done(steer("resume"))).body.paused).toBe(false);
  await done(steer("steps/0/approve", { note: "looked at it" }));
  await until(async () => (await world.run(id)).state === "failed");
  fails = false;
  expect((await steer("cancel")).status).toBe(412);
  const key = { "idempotency-key": "again" };
  await done(steer("retry", { from: "failed" }, key));
  await until(async () => (await world.run(id)).state === "succeeded");
  // The repeat finds the run ended, and answers as if it had just begun it.
  expect((await steer("retry", { from: "failed" }, key)).status).toBe(200);
  expect((await steer("retry", { from: "start" }, key)).status).toBe(409);
  expect((await steer("retry", { from: "failed" })).body.detail).toContain("all of it succeeded");
  expect((await world.run(id)).state).toBe("succeeded");
  expect(await audited(server, "retry")).toMatchObject([
    { scope: "acme/shop", name: id, outcome: "done", detail: { about: "Workflow/test", from: "failed" } },
  ]);
  expect(await audited(server, "approve")).toMatchObject([
    { detail: { step: "gate", note: "looked at it" } },
  ]);
  const events = (await done(server.call("GET", `/runs/${id}/events`))).body.items;
  expect(events.map(({ reason }: { reason: string }) => reason)).toEqual(
    expect.arrayContaining(["paused", "resumed", "approved"]),
  );
  expect(events.find(({ reason }: { reason: string }) => reason === "approved")).toMatchObject({
    by: "user:ada",
    message: expect.stringContaining("looked at it"),
    seq: 0,
  });
});

test("a cancelled run tells its agent to stop and says why; many are cancelled by a filter", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  const agent = await world.agent(() => "never");
  const id = await world.begin({ steps: [step("a"), step("b", { needs: [0] })] });
  await until(async () => (await world.step(id, "a")).state === "running");
  await done(server.call("POST", `/runs/${id}/cancel`, { body: { why: "wrong day" } }));
  expect(await world.run(id)).toMatchObject({ cancelling: true });
  await until(async () => agent.stops.length > 0);
  const [offer] = agent.offers;
  if (offer !== undefined) await agent.finish(offer, { outcome: "cancelled", why: "told to" });
  await until(async () => (await world.run(id)).state === "cancelled");
  expect((await world.run(id)).why).toContain("wrong day");
  const many = await Promise.all(
    Array.from({ length: 20 }, () =>
      world.begin({ steps: [step("g", { body: { does: "approve", text: "?" } })] }),
    ),
  );
  const answer = await done(
    server.call("POST", "/runs/cancel", { body: { scope: "acme", why: "clearing" } }),
  );
  expect([...answer.body.cancelled].sort()).toEqual([...many].sort());
  for (const one of many) await until(async () => (await world.run(one)).state === "cancelled");
  expect((await audited(server, "cancel")).length).toBe(21);
});

test("steps are skipped, rejected and decided only when they wait for it; an approval is not skipped without the right", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  const ask = step("ask", { body: { does: "approve", text: "sure?" } });
  const id = await world.begin({
    steps: [ask, step("a", { needs: [0] }), step("b", { needs: [1], rule: "all-done" })],
  });
  await until(async () => (await world.step(id, "ask")).reason === "approval");
  const steer = (seq: number, what: string, body: object = {}) =>
    server.call("POST", `/runs/${id}/steps/${seq}/${what}`, { body });
  expect((await steer(1, "approve")).status).toBe(412);
  expect((await steer(0, "skip")).body.detail).toContain("approve or reject it");
  expect((await steer(1, "decide", { outcome: "again" })).status).toBe(412);
  await done(
    server.call("PUT", "/organizations/acme/roles/skipper", {
      body: { spec: { allows: ["runs:read", "runs:skip"] } },
    }),
  );
  const sam = await newUser(server, "sam", [{ role: "skipper", scope: "acme" }]);
  const second = await world.begin({
    steps: [
      step("first", { body: { does: "wait", ms: 3_600_000 } }),
      { ...ask, needs: [0] },
      step("z", { needs: [0] }),
    ],
  });
  const skipping = await sam.call("POST", `/runs/${second}/steps/1/skip`, { body: { as: "succeeded" } });
  expect([skipping.status, skipping.body.detail]).toEqual([403, expect.stringContaining("runs:approve")]);
  expect((await sam.call("POST", `/runs/${second}/steps/2/skip`, { body: {} })).status).toBe(200);
  expect((await world.step(second, "z")).state).toBe("skipped");
  await done(steer(0, "reject", { note: "not on a friday" }));
  expect(await world.step(id, "ask")).toMatchObject({
    state: "failed",
    why: expect.stringContaining("not on a friday"),
  });
  await until(async () => (await world.step(id, "b")).state === "ready");
});

test("what became of a lost at-most-once attempt is a person's to say", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  const agent = await world.agent(() => "never");
  const id = await world.begin({ steps: [step("charge", { effect: "at-most-once" })] });
  await until(async () => (await world.step(id, "charge")).state === "running");
  await agent.hello([]);
  await until(async () => (await world.step(id, "charge")).reason === "lost");
  expect((await world.step(id, "charge")).why).toContain("it may have happened");
  await done(server.call("POST", `/runs/${id}/steps/0/decide`, { body: { outcome: "succeeded" } }));
  await until(async () => (await world.run(id)).state === "succeeded");
  expect((await audited(server, "decide"))[0]).toMatchObject({
    detail: { step: "charge", outcome: "succeeded" },
  });
});

test("wrong words are refused by name", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  const id = await world.begin({ steps: [step("a")] });
  const wrong: [string, string, object | undefined, string][] = [
    ["GET", "/runs?sttate=failed", undefined, "/sttate"],
    ["GET", "/runs?state=failed,odd", undefined, "/state/1"],
    ["GET", "/runs?cause=magic", undefined, "/cause"],
    ["GET", "/runs?about=nightly", undefined, "/about"],
    ["GET", "/runs?about=Nothing/nightly", undefined, "?about"],
    ["GET", "/runs?since=yesterday", undefined, "/since"],
    ["GET", "/runs?limit=0", undefined, "/limit"],
    ["GET", "/runs?limit=501", undefined, "/limit"],
    ["GET", "/runs?continue=x", undefined, "/continue"],
    ["GET", "/runs?scope=Acme!", undefined, "/scope"],
    ["GET", "/runs?watch=maybe", undefined, "/watch"],
    ["GET", "/runs/xyz", undefined, "/id"],
    ["GET", "/runs/1234567", undefined, "/id"],
    ["GET", `/runs/${id}/steps?parent=-1`, undefined, "/parent"],
    ["GET", `/runs/${id}/steps?state=odd`, undefined, "/state/0"],
    ["GET", `/runs/${id}/steps/x/attempts`, undefined, "/seq"],
    ["GET", `/runs/${id}/events?continue=1`, undefined, "/continue"],
    ["POST", `/runs/${id}/cancel`, { why: 3 }, "/why"],
    ["POST", `/runs/${id}/cancel`, { why: "x".repeat(1001) }, "/why"],
    ["POST", `/runs/${id}/pause`, { please: true }, "/please"],
    ["POST", `/runs/${id}/retry`, { from: "middle" }, "/from"],
    ["POST", `/runs/${id}/steps/0/skip`, { as: "failed" }, "/as"],
    ["POST", `/runs/${id}/steps/0/decide`, {}, "/outcome"],
    ["POST", `/runs/${id}/steps/1e3/approve`, {}, "/seq"],
    ["POST", "/runs/cancel", {}, "/scope"],
    ["POST", "/runs/cancel", { scope: "", state: ["failed"] }, "/state/0"],
  ];
  for (const [method, path, body, pointer] of wrong) {
    const answer = await server.call(method, path, body === undefined ? {} : { body });
    expect([path, answer.status, answer.body.errors?.[0]?.pointer]).toEqual([path, 422, pointer]);
  }
  const gone = await server.call("POST", `/runs/${id}/steps/7/approve`, { body: {} });
  expect([gone.status, gone.body.detail]).toEqual([404, expect.stringContaining("has no step 7")]);
  expect(((await server.call("GET", `/runs/${id}`)).body as Run).state).toBe("running");
});
