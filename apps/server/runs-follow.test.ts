import { step } from "@reeve/runs/testing";
import { expect, test, vi } from "vitest";
import { testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";
import { openRunWorld } from "./testing-runs.ts";
import { openWatch, type TestWatch } from "./testing-watch.ts";

interface News {
  readonly run?: { id: string; state: string };
  readonly step?: { name: string; state: string; items?: Record<string, number> };
  readonly key?: string;
}

function newsOf(watch: TestWatch): { event: string; data: News }[] {
  return watch.heard as never;
}

function said(watch: TestWatch): string[] {
  return newsOf(watch).map(({ event, data }) => {
    if (data.step !== undefined) return `${data.step.name} ${data.step.state}`;
    return data.run === undefined ? event : `run ${data.run.state}`;
  });
}

test("a follower hears the run and its steps, then what changes, until the run has ended; the other replica's too", async () => {
  const server = await testServer();
  const other = await testServer({ share: server });
  const world = openRunWorld(server);
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await world.agent(async () => {
    await held;
    return {};
  });
  const id = await world.begin({ steps: [step("a"), step("b", { needs: [0] })] });
  const watches = [await openWatch(server, `/runs/${id}`), await openWatch(other, `/runs/${id.slice(-8)}`)];
  for (const watch of watches) {
    await watch.find(({ event }) => event === "synced");
    expect(said(watch)).toEqual(expect.arrayContaining(["run running", "b blocked"]));
  }
  const late = await openWatch(server, `/runs/${id}`);
  await late.find(({ event }) => event === "synced");
  finish();
  for (const watch of [...watches, late]) {
    await watch.over;
    expect(said(watch).slice(-1)).toEqual(["run succeeded"]);
    expect(said(watch)).toEqual(expect.arrayContaining(["a succeeded", "b succeeded"]));
    const changes = said(watch).filter((words) => words !== "synced");
    expect(changes.length).toBe(new Set(changes).size);
  }
  const after = await openWatch(server, `/runs/${id}`);
  await after.over;
  expect(said(after)).toEqual(["a succeeded", "b succeeded", "run succeeded", "synced"]);
});

test("a wide fan-out is told by its counts, a small one item by item", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  const wide = step("wide", { over: { items: Array.from({ length: 5000 }, (_, at) => at) } });
  const id = await world.begin({ steps: [wide, step("small", { over: { items: ["x", "y"] } })] });
  await vi.waitUntil(async () => (await world.steps(id, "?parent=none"))[0]?.items?.ready === 5000, {
    timeout: 60_000,
  });
  const watch = await openWatch(server, `/runs/${id}`);
  await watch.find(({ event }) => event === "synced");
  const names = newsOf(watch).flatMap(({ data }) => data.step?.name ?? []);
  expect(names.sort()).toEqual(["small", "small[0]", "small[1]", "wide"]);
  await world.agent(() => ({}), { slots: 200 });
  await watch.over;
  const last = newsOf(watch)
    .filter(({ data }) => data.step?.name === "wide")
    .at(-1);
  expect(last?.data.step).toMatchObject({ state: "succeeded", items: { succeeded: 5000 } });
});

test("a followed list tells new runs, their changes, and those that no longer fit", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  const gate = step("gate", { body: { does: "approve", text: "?" } });
  const first = await world.begin({ steps: [gate] });
  const watch = await openWatch(server, "/runs?scope=acme&state=running");
  await watch.find(({ event }) => event === "synced");
  const second = await world.begin({ steps: [gate] });
  await world.begin({ steps: [gate] }, { scope: "other" });
  await watch.find(({ data }) => (data as News).run?.id === second);
  await done(server.call("POST", `/runs/${first}/cancel`, { body: {} }));
  await watch.find(({ event, data }) => event === "removed" && (data as News).key === first);
  expect(new Set(newsOf(watch).flatMap(({ data }) => data.run?.id ?? []))).toEqual(new Set([first, second]));
});

test("whoever loses the right hears no more, and a hundred other followers hear the end", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  const gate = step("gate", { body: { does: "approve", text: "?" } });
  const id = await world.begin({ steps: [gate] });
  const eve = await newUser(server, "eve", [{ role: "viewer", scope: "acme/shop" }]);
  const watch = await openWatch(server, `/runs/${id}`, { token: eve.token });
  await watch.find(({ event }) => event === "synced");
  const crowd = await Promise.all(Array.from({ length: 100 }, () => openWatch(server, `/runs/${id}`)));
  await Promise.all(crowd.map((one) => one.find(({ event }) => event === "synced")));
  const bindings = (await server.call("GET", "/organizations/acme/projects/shop/rolebindings")).body.items;
  for (const { metadata } of bindings)
    await done(server.call("DELETE", `/organizations/acme/projects/shop/rolebindings/${metadata.name}`));
  await watch.over;
  expect(watch.heard.at(-1)).toMatchObject({ event: "end", data: { problem: { kind: "not_found" } } });
  await done(server.call("POST", `/runs/${id}/steps/0/approve`, { body: {} }));
  await Promise.all(crowd.map((one) => one.over));
  for (const one of crowd) expect(said(one).at(-1)).toBe("run succeeded");
  expect(said(watch)).not.toContain("run succeeded");
});
