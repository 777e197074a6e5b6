import { ServiceAccount } from "@reeve/access/kinds";
import { Fault } from "@reeve/model";
import { expect, test } from "vitest";
import { type CallFault, connect } from "./index.ts";
import { retryDelayMs } from "./retry.ts";
import { badServer, sendJson, someResource } from "./testing-server.ts";

const problem = (kind: string, status: number, more: object = {}) => ({
  kind,
  status,
  title: kind,
  detail: kind,
  ...more,
});

test("a read survives a cut connection and an unavailable server", async () => {
  await using server = await badServer((_heard, answer, number) => {
    if (number === 1) answer.destroy();
    else if (number === 2) sendJson(answer, 503, problem("unavailable", 503), { "retry-after": "0" });
    else sendJson(answer, 200, someResource("shop", 7));
  });
  const client = connect({ url: server.url });
  expect((await client.kind(ServiceAccount).get("acme", "shop")).metadata.revision).toBe(7);
  expect(server.heard).toHaveLength(3);
});

test("a change that is repeated carries one and the same key, another change another", async () => {
  await using server = await badServer((heard, answer, number) => {
    if (number < 3) {
      // Half an answer: the change may or may not have happened.
      answer.writeHead(200, { "content-length": "100" });
      answer.write("{");
      setTimeout(() => answer.destroy(), 5);
    } else sendJson(answer, 200, JSON.parse(heard.body), { "reeve-outcome": "unchanged" });
  });
  const accounts = connect({ url: server.url, token: "secret" }).kind(ServiceAccount);
  const applied = await accounts.apply({
    metadata: { scope: "acme", name: "ci" },
    spec: { description: "x" },
  });
  await accounts.patch("acme", "ci", { spec: { disabled: true } }, { ifMatch: 7, reason: "leaked" });
  const keys = server.heard.map((one) => one.headers["idempotency-key"]);
  expect(applied.outcome).toBe("unchanged");
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[3]).not.toBe(keys[0]);
  expect(server.heard[3]).toMatchObject({
    method: "PATCH",
    headers: { "if-match": '"7"', authorization: "Bearer secret" },
  });
  expect(server.heard[3]?.query.get("reason")).toBe("leaked");
});

test("what the server refuses is not asked again", async () => {
  const errors = [{ pointer: "/spec/email", message: "Invalid email address" }];
  for (const [status, kind] of [
    [422, "invalid"],
    [401, "unauthenticated"],
    [409, "conflict"],
    [500, "internal"],
  ] as const) {
    await using server = await badServer((_heard, answer) =>
      sendJson(answer, status, problem(kind, status, { errors, next: "mend it", requestId: "r-1" })),
    );
    const fault = await connect({ url: server.url })
      .whoami()
      .then(neverFulfilled, (error: CallFault) => error);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind, next: "mend it", errors, requestId: "r-1", status });
    expect(server.heard).toHaveLength(1);
  }
});

test("Retry-After is waited for, and a wait beyond the limit fails at once", async () => {
  await using server = await badServer((_heard, answer, number) => {
    if (number === 1) sendJson(answer, 429, problem("exhausted", 429), { "retry-after": "1" });
    else sendJson(answer, 200, { items: [] });
  });
  const startedAt = performance.now();
  await connect({ url: server.url }).kinds();
  expect(performance.now() - startedAt).toBeGreaterThan(990);

  await using busy = await badServer((_heard, answer) =>
    sendJson(answer, 429, problem("exhausted", 429), { "retry-after": "3600" }),
  );
  await expect(connect({ url: busy.url }).kinds()).rejects.toMatchObject({
    kind: "exhausted",
    retryAfterMs: 3_600_000,
  });
  expect(busy.heard).toHaveLength(1);
});

test("attempts are bounded, and the fault says what to do", async () => {
  const told: string[] = [];
  const client = connect({
    url: "http://127.0.0.1:9",
    retry: { attempts: 3, withinMs: 5_000 },
    onRetry: (fault) => told.push(fault.message),
  });
  await expect(client.server()).rejects.toMatchObject({ kind: "unavailable", next: /server runs/ });
  expect(told).toHaveLength(2);
});

test("a server that never answers is given up", async () => {
  await using server = await badServer(() => undefined);
  const told: string[] = [];
  const client = connect({
    url: server.url,
    timeoutMs: 50,
    retry: { attempts: 2, withinMs: 60_000 },
    onRetry: (fault) => told.push(fault.message),
  });
  await expect(client.server()).rejects.toMatchObject({ kind: "unavailable", message: /no answer in time/ });
  // A busy server may not even have heard of the first when it is given up.
  expect(told).toEqual([expect.stringContaining("no answer in time")]);
});

test("a redirect is reported, not followed with the credential", async () => {
  await using server = await badServer((_heard, answer) => {
    answer.writeHead(308, { location: "https://elsewhere.example" });
    answer.end();
  });
  await expect(connect({ url: server.url, token: "t" }).whoami()).rejects.toThrow(/elsewhere\.example/);
  expect(server.heard).toHaveLength(1);
});

test("delays grow with jitter, and never undercut Retry-After", () => {
  expect([0, 1, 2, 9].map((attempt) => retryDelayMs(attempt, undefined, 1))).toEqual([200, 400, 800, 5000]);
  expect(retryDelayMs(3, undefined, 0)).toBe(0);
  expect(retryDelayMs(0, 2000, 0)).toBe(2000);
});

test("a bulk apply that fails in the middle still tells what was applied before", async () => {
  await using server = await badServer((heard, answer, number) => {
    const { resources } = JSON.parse(heard.body) as { resources: unknown[] };
    const results = resources.map((resource) => ({ outcome: "created", resource }));
    if (number === 1) sendJson(answer, 200, { results });
    else sendJson(answer, 403, problem("forbidden", 403));
  });
  const many = Array.from({ length: 1500 }, (_, index) => someResource(`p-${index}`, 0));
  const results = await connect({ url: server.url }).applyMany(many);
  expect(results).toHaveLength(1500);
  const applied = results.filter((result) => "resource" in result).length;
  expect(applied).toBe(
    (JSON.parse(server.heard[0]?.body ?? "") as { resources: unknown[] }).resources.length,
  );
  expect(results.at(-1)).toMatchObject({ fault: { kind: "forbidden" } });
});

test("a list is read over all pages", async () => {
  await using server = await badServer((heard, answer) => {
    const first = !heard.query.has("continue");
    const page = first
      ? { items: [someResource("a", 1)], continue: "next", revision: 5 }
      : { items: [someResource("b", 2)] };
    sendJson(answer, 200, { kind: "List", ...page });
  });
  const names: string[] = [];
  for await (const one of connect({ url: server.url })
    .kind(ServiceAccount)
    .list("acme/shop", { labels: { tier: "web" }, limit: 1 }))
    names.push(one.metadata.name);
  expect(names).toEqual(["a", "b"]);
  expect(server.heard[1]?.path).toBe("/api/v1/organizations/acme/projects/shop/serviceaccounts");
  expect(Object.fromEntries(server.heard[1]?.query ?? [])).toEqual({
    labels: "tier=web",
    limit: "1",
    continue: "next",
  });
});

function neverFulfilled(): never {
  throw new Error("expected a fault");
}
