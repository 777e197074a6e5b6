import { diff, type Json, patched, type Resource } from "@reeve/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { registry } from "./areas.ts";
import { baseOf } from "./bad-input-cases.ts";
import { type TestServer, testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";

const shop = "/organizations/acme/projects/shop";
const account = `${shop}/serviceaccounts/ci`;

async function start(settings: Record<string, string> = {}): Promise<TestServer> {
  const server = await testServer({ settings });
  await done(server.call("PUT", shop, { body: {} }));
  await done(server.call("PUT", account, { body: { spec: { description: "first" } } }));
  return server;
}

async function read(server: TestServer, path = account): Promise<Resource> {
  return (await done(server.call("GET", path))).body;
}

async function counter(server: TestServer): Promise<number> {
  return (await server.database.query<{ value: number }>("select value from revision"))[0]?.value ?? -1;
}

test("applying the same again changes nothing, for every kind: no revision, no generation, no record", async () => {
  // Without reconcilers: what they tell in a status is a change of its own.
  const server = await start({ REEVE_ROLES: "api" });
  for (const kind of registry.kinds) {
    const { path, spec } = baseOf(kind.name);
    const body = { spec, metadata: { labels: { a: "b" }, annotations: { note: "x" } } };
    const first = await done(server.call("PUT", path, { body }));
    expect([first.status, first.headers.get("reeve-outcome")]).toEqual([201, "created"]);
    const before = await counter(server);
    for (const again of [body, { spec }, first.body, (await server.call("GET", path)).body]) {
      const answer = await server.call("PUT", path, { body: again });
      expect([answer.status, answer.headers.get("reeve-outcome")], kind.name).toEqual([200, "unchanged"]);
      expect(answer.body).toEqual(first.body);
      expect(answer.headers.get("etag")).toBe(`"${first.body.metadata.revision}"`);
    }
    expect(await counter(server)).toBe(before);
    expect((await server.call("GET", `${path}/history`)).body.items).toHaveLength(1);
  }
});

test("a dry run answers what the change would, and leaves nothing", async () => {
  const server = await start();
  await done(
    server.call("PUT", `${shop}/serviceaccounts/child`, {
      body: { metadata: { owner: { kind: "ServiceAccount", name: "ci" } } },
    }),
  );
  await done(
    server.call("PUT", `${shop}/serviceaccounts/held`, { body: { metadata: { finalizers: ["a/b"] } } }),
  );
  await done(server.call("PATCH", account, { body: { spec: { description: "second" } } }));
  const changes: [string, string, unknown][] = [
    ["PUT", `${shop}/serviceaccounts/new`, { spec: { description: "x" }, metadata: { labels: { a: "b" } } }],
    ["POST", `${shop}/serviceaccounts`, { metadata: { name: "another" } }],
    ["PUT", account, { spec: { description: "second" } }],
    ["PUT", account, { spec: { description: "third" } }],
    ["PATCH", account, { spec: { description: null }, metadata: { labels: { x: "y" } } }],
    ["PATCH", account, {}],
    ["POST", `${account}/rollback`, { generation: 1 }],
    ["DELETE", `${shop}/serviceaccounts/child`, undefined],
    ["DELETE", `${shop}/serviceaccounts/held`, undefined],
    ["DELETE", shop, undefined],
  ];
  for (const [method, path, body] of changes) {
    const options = body === undefined ? {} : { body };
    const before = await counter(server);
    const predicted = await server.call(method, `${path}?dryRun=true`, options);
    expect(await counter(server), `${method} ${path}`).toBe(before);
    const real = await server.call(method, path, options);
    const face = ({ status, headers, body: told }: typeof real) => [
      status,
      headers.get("reeve-outcome"),
      told.spec,
      told.metadata.labels,
      told.metadata.generation,
      told.metadata.deletingAt !== undefined,
    ];
    expect(face(predicted), `${method} ${path}`).toEqual(face(real));
  }
});

test("a dry run of deleting what others belong to says that it would wait", async () => {
  const server = await start();
  await done(
    server.call("PUT", `${shop}/serviceaccounts/child`, {
      body: { metadata: { owner: { kind: "ServiceAccount", name: "ci" } } },
    }),
  );
  const predicted = await server.call("DELETE", `${account}?dryRun=true`);
  expect([predicted.status, predicted.headers.get("reeve-outcome")]).toEqual([202, "deleting"]);
  expect((await read(server)).metadata.deletingAt).toBeUndefined();
});

test("a dry run of many sees what those before it would have written", async () => {
  const server = await start();
  const item = (kind: string, scope: string, name: string, more: object = {}) => ({
    apiVersion: "reeve/v1",
    kind,
    metadata: { scope, name, ...more },
    spec: kind === "RoleBinding" ? { role: "viewer", subject: { kind: "ServiceAccount", name: "new" } } : {},
  });
  const resources = [
    item("Project", "acme", "new"),
    item("ServiceAccount", "acme/new", "new"),
    item("RoleBinding", "acme/new", "new"),
    item("RoleBinding", "acme/new", "new"),
    item("RoleBinding", "acme/new", "new", { labels: { a: "b" } }),
    item("ServiceAccount", "acme/new", "new", { owner: { kind: "ServiceAccount", name: "other" } }),
    item("ServiceAccount", "acme/missing", "new"),
  ];
  const outcomes = async (query: string) =>
    (await server.call("POST", `/apply${query}`, { body: { resources } })).body.results.map(
      (one: { outcome?: string; problem?: { status: number } }) => one.outcome ?? one.problem?.status,
    );
  const before = await counter(server);
  const predicted = await outcomes("?dryRun=true");
  expect(await counter(server)).toBe(before);
  expect(predicted).toEqual(["created", "created", "created", "unchanged", "updated", 412, 404]);
  expect(await outcomes("")).toEqual(predicted);
});

const label = fc.constantFrom("a", "b", "team");
const labels = fc.dictionary(label, fc.constantFrom("1", "2"), { maxKeys: 3 });
const spec = fc.record(
  { description: fc.constantFrom("x", "y", "z"), disabled: fc.boolean() },
  { requiredKeys: [] },
);

test("a diff is exactly what applying then changes", async () => {
  const server = await start();
  const body = fc.record({
    spec,
    metadata: fc.record({ labels, annotations: labels, paused: fc.boolean() }, { requiredKeys: [] }),
  });
  await fc.assert(
    fc.asyncProperty(body, async (next) => {
      const before = await read(server);
      const told = (await done(server.call("POST", `${account}/diff`, { body: next }))).body;
      expect(await read(server)).toEqual(before);
      const applied = await done(server.call("PUT", account, { body: next }));
      expect(told.outcome).toBe(applied.headers.get("reeve-outcome"));
      const after = await read(server);
      expect(told.changes).toEqual(diff(wanted(before), wanted(after)));
      expect(patched(wanted(before), told.changes)).toEqual(wanted(after));
      expect(told.after.spec).toEqual(after.spec);
    }),
    { numRuns: 60 },
  );
  const made = (await server.call("POST", `${shop}/serviceaccounts/new/diff`, { body: {} })).body;
  expect([made.outcome, made.before, made.changes]).toEqual([
    "created",
    undefined,
    [expect.objectContaining({ pointer: "" })],
  ]);
  expect((await server.call("GET", `${shop}/serviceaccounts/new`)).status).toBe(404);
});

/** What a person decides about a resource. */
function wanted({
  metadata: { labels: all, annotations, finalizers, owner, paused },
  spec: one,
}: Resource): Json {
  return {
    metadata: {
      labels: all,
      annotations,
      finalizers,
      ...(owner ? { owner } : {}),
      ...(paused ? { paused } : {}),
    },
    spec: one,
  } as unknown as Json;
}

test("If-Match refuses what was changed meanwhile, If-None-Match what is there already", async () => {
  const server = await start();
  const { metadata } = await read(server);
  const put = (headers: Record<string, string>, description: string, path = account) =>
    server.call("PUT", path, { headers, body: { spec: { description } } });
  expect((await put({ "if-match": `"${metadata.revision}"` }, "second")).status).toBe(200);
  const stale = await put({ "if-match": `"${metadata.revision}"` }, "third");
  expect([stale.status, stale.body.kind]).toEqual([409, "conflict"]);
  expect((await read(server)).spec.description).toBe("second");
  expect((await put({ "if-none-match": "*" }, "fourth")).body.kind).toBe("exists");
  expect((await put({ "if-none-match": "*" }, "fourth", `${shop}/serviceaccounts/new`)).status).toBe(201);
  expect(
    (await server.call("DELETE", account, { headers: { "if-match": `"${metadata.revision}"` } })).status,
  ).toBe(409);
  const now = (await read(server)).metadata.revision;
  expect((await server.call("DELETE", account, { headers: { "if-match": `${now}` } })).status).toBe(200);
});

test("of many who change the same revision, exactly one succeeds", async () => {
  const server = await start();
  const { metadata } = await read(server);
  const answers = await Promise.all(
    [...Array(20)].map((_, index) =>
      server.call("PUT", account, {
        headers: { "if-match": `"${metadata.revision}"` },
        body: { spec: { description: `by ${index}` } },
      }),
    ),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
  expect((await read(server)).metadata.generation).toBe(2);
});

test("patches of different parts at the same moment all take effect", async () => {
  const server = await start();
  const answers = await Promise.all(
    [...Array(40)].map((_, index) =>
      server.call("PATCH", account, { body: { metadata: { labels: { [`l${index}`]: "x" } } } }),
    ),
  );
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
  expect(Object.keys((await read(server)).metadata.labels)).toHaveLength(40);
});

test("labels, annotations, finalizers, owner and paused stay when they are left out of an apply", async () => {
  const server = await start();
  await done(server.call("PUT", `${shop}/serviceaccounts/parent`, { body: {} }));
  const metadata = {
    labels: { a: "1" },
    annotations: { b: "2" },
    finalizers: ["x/y"],
    paused: true,
    owner: { kind: "ServiceAccount", name: "parent" },
  };
  await done(server.call("PUT", account, { body: { metadata, spec: { description: "with" } } }));
  const answer = await done(server.call("PUT", account, { body: { spec: {} } }));
  expect(answer.body.metadata).toMatchObject({ ...metadata, owner: { name: "parent" } });
  expect(answer.body.spec).toEqual({ disabled: false });
  const cleared = await done(
    server.call("PUT", account, {
      body: { metadata: { labels: {}, annotations: {}, finalizers: [], paused: false, owner: null } },
    }),
  );
  expect(cleared.body.metadata).toMatchObject({ labels: {}, annotations: {}, finalizers: [] });
  expect([cleared.body.metadata.paused, cleared.body.metadata.owner]).toEqual([undefined, undefined]);
});

test("a patch sets what it names, removes what it sets to null, and leaves the rest", async () => {
  const server = await start();
  await done(server.call("PUT", `${shop}/serviceaccounts/parent`, { body: {} }));
  await done(
    server.call("PUT", account, {
      body: {
        spec: { description: "x", disabled: true },
        metadata: {
          labels: { a: "1", b: "2" },
          annotations: { n: "1" },
          finalizers: ["x/y"],
          paused: true,
          owner: { kind: "ServiceAccount", name: "parent" },
        },
      },
    }),
  );
  const patch = async (body: unknown) =>
    (await done(server.call("PATCH", account, { body }))).body as Resource;
  expect((await patch({ metadata: { labels: { a: null, c: "3" } } })).metadata.labels).toEqual({
    b: "2",
    c: "3",
  });
  const removed = await patch({ spec: { description: null } });
  expect([removed.spec, removed.metadata.generation]).toEqual([{ disabled: true }, 3]);
  expect((await patch({ metadata: { labels: null } })).metadata.labels).toEqual({});
  expect((await patch({ metadata: { annotations: null } })).metadata.annotations).toEqual({});
  expect((await patch({ metadata: { owner: null } })).metadata.owner).toBeUndefined();
  expect((await patch({ metadata: { paused: null } })).metadata.paused).toBeUndefined();
  expect((await patch({ metadata: { finalizers: null } })).metadata.finalizers).toEqual([]);
  expect((await patch({ spec: null })).spec).toEqual({ disabled: false });
  const merged = await server.call("PATCH", account, {
    headers: { "content-type": "application/merge-patch+json" },
    body: { spec: { description: "y" } },
  });
  expect(merged.body.spec).toEqual({ description: "y", disabled: false });
});

test("history tells newest first who changed the spec, when and why, page by page", async () => {
  const server = await start();
  const ed = await newUser(server, "ed", [{ role: "editor", scope: "acme" }]);
  for (let index = 2; index <= 6; index++)
    await done(
      ed.call("PUT", `${account}?reason=step%20${index}`, {
        body: { spec: { description: `step ${index}` } },
      }),
    );
  await done(ed.call("PATCH", account, { body: { metadata: { labels: { not: "counted" } } } }));
  const { items } = (await server.call("GET", `${account}/history`)).body;
  expect(items.map((item: { generation: number }) => item.generation)).toEqual([6, 5, 4, 3, 2, 1]);
  expect(items[0]).toMatchObject({
    author: "user:ed",
    reason: "step 6",
    spec: { description: "step 6", disabled: false },
  });
  expect(items[5]).toMatchObject({ author: "user:ada", reason: "" });
  for (const [index, item] of items.slice(1).entries())
    expect(Date.parse(item.at)).toBeLessThanOrEqual(Date.parse(items[index].at));
  const pages = await Promise.all([
    server.call("GET", `${account}/history?limit=2`),
    server.call("GET", `${account}/history?limit=2&before=5`),
    server.call("GET", `${account}/history?before=1`),
  ]);
  expect(pages.map((page) => page.body.items.map((item: { generation: number }) => item.generation))).toEqual(
    [[6, 5], [4, 3], []],
  );
});

test("a rollback makes the spec of any earlier generation the newest, and leaves labels alone", async () => {
  const server = await start();
  const specs = [{ description: "first", disabled: false }];
  for (const next of [{ description: "second" }, { disabled: true }, {}])
    specs.push({
      ...((
        await done(
          server.call("PUT", account, { body: { spec: next, metadata: { labels: { now: "yes" } } } }),
        )
      ).body.spec as { description: string; disabled: boolean }),
    });
  for (const [index, expected] of specs.entries()) {
    const before = await read(server);
    const answer = await done(
      server.call("POST", `${account}/rollback?reason=back`, { body: { generation: index + 1 } }),
    );
    expect(answer.body.spec).toEqual(expected);
    expect(answer.body.metadata.labels).toEqual({ now: "yes" });
    expect(answer.body.metadata.generation).toBe(before.metadata.generation + 1);
  }
  const { items } = (await server.call("GET", `${account}/history`)).body;
  expect(items).toHaveLength(8);
  expect(items[0].reason).toBe("back");
  const same = await server.call("POST", `${account}/rollback`, { body: { generation: 8 } });
  expect(same.headers.get("reeve-outcome")).toBe("unchanged");
});

type Step =
  | {
      readonly do: "apply";
      readonly name: string;
      readonly spec: object;
      readonly labels: Record<string, string> | undefined;
      readonly dryRun: boolean;
    }
  | {
      readonly do: "patch";
      readonly name: string;
      readonly spec: Record<string, Json>;
      readonly labels: Record<string, string | null>;
    }
  | { readonly do: "rollback"; readonly name: string; readonly generation: number }
  | { readonly do: "delete"; readonly name: string };

interface Known {
  labels: Record<string, string>;
  specs: Record<string, Json>[];
}

const name = fc.constantFrom("one", "two");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("apply" as const),
      name,
      spec,
      labels: fc.option(labels, { nil: undefined }),
      dryRun: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("patch" as const),
      name,
      spec: fc.dictionary(fc.constantFrom("description"), fc.constantFrom<Json>("x", "y", null), {
        maxKeys: 1,
      }) as fc.Arbitrary<Record<string, Json>>,
      labels: fc.dictionary(label, fc.constantFrom("1", "2", null), { maxKeys: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("rollback" as const),
      name,
      generation: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), name }) },
);

test("what was recorded before a rule came can still be paused and labelled; its spec must keep the rule once it is written", async () => {
  const server = await start();
  const path = "/organizations/acme/workflows/old";
  await done(
    server.call("PUT", path, { body: { spec: { steps: [{ name: "ask", approve: { text: "Go on?" } }] } } }),
  );
  // As an older version took it.
  const spec = { steps: [{ name: "ask", approve: { text: "Go on?" }, timeouts: { start: "1h" } }] };
  await server.database.query("update resource set spec = $1 where name = 'old'", [JSON.stringify(spec)]);
  const metadata = { paused: true, labels: { incident: "yes" } };
  expect(await server.call("PATCH", path, { body: { metadata } })).toMatchObject({
    status: 200,
    body: { metadata, spec },
  });
  const written = await server.call("PATCH", path, { body: { spec: { description: "old" } } });
  expect(written).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "/spec/steps/0/timeouts/start" }] },
  });
});

test("any sequence of applies, patches, rollbacks and deletions leads where a simple model says", {
  timeout: 120_000,
}, async () => {
  const server = await start();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const model = new Map<string, Known>();
      const prefix = `r${++run}`;
      for (const one of steps)
        await follow(server, model, one, `${shop}/serviceaccounts/${prefix}-${one.name}`);
    }),
    { numRuns: 50 },
  );
});

/** Carries a step out on the server and on the model, and compares. */
async function follow(server: TestServer, model: Map<string, Known>, one: Step, path: string): Promise<void> {
  const before = model.get(one.name);
  const revision = before && (await read(server, path)).metadata.revision;
  const { method, address, body } = requestOf(one, path);
  const answer = await server.call(method, address, body === undefined ? {} : { body });
  const expected = stepOn(before, one);
  expect([answer.status, answer.headers.get("reeve-outcome")], JSON.stringify(one)).toEqual(expected.answer);
  if (one.do !== "apply" || !one.dryRun) {
    if (expected.after === undefined) model.delete(one.name);
    else model.set(one.name, expected.after);
  }
  const now = model.get(one.name);
  const found = await server.call("GET", path);
  expect(found.status).toBe(now === undefined ? 404 : 200);
  if (now === undefined) return;
  expect([found.body.spec, found.body.metadata.labels, found.body.metadata.generation]).toEqual([
    now.specs.at(-1),
    now.labels,
    now.specs.length,
  ]);
  if (before !== undefined)
    expect(found.body.metadata.revision === revision).toBe(
      now === before || expected.answer[1] === "unchanged",
    );
  const { items } = (await server.call("GET", `${path}/history`)).body;
  expect(items.map((item: { spec: unknown }) => item.spec).reverse()).toEqual(now.specs);
}

function requestOf(one: Step, path: string): { method: string; address: string; body?: unknown } {
  if (one.do === "apply")
    return {
      method: "PUT",
      address: one.dryRun ? `${path}?dryRun=true` : path,
      body: { spec: one.spec, metadata: one.labels === undefined ? {} : { labels: one.labels } },
    };
  if (one.do === "patch")
    return { method: "PATCH", address: path, body: { spec: one.spec, metadata: { labels: one.labels } } };
  if (one.do === "rollback")
    return { method: "POST", address: `${path}/rollback`, body: { generation: one.generation } };
  return { method: "DELETE", address: path };
}

/** What a step must be answered and lead to. */
function stepOn(
  before: Known | undefined,
  one: Step,
): { answer: [number, string | null]; after: Known | undefined } {
  const refused = (status: number) => ({ answer: [status, null] as [number, null], after: before });
  if (one.do === "apply") {
    const next = { disabled: false, ...one.spec } as Record<string, Json>;
    if (before === undefined)
      return { answer: [201, "created"], after: { labels: one.labels ?? {}, specs: [next] } };
    return changed(before, next, one.labels ?? before.labels);
  }
  if (before === undefined) return refused(404);
  if (one.do === "delete") return { answer: [200, "deleted"], after: undefined };
  const last = before.specs.at(-1) as Record<string, Json>;
  if (one.do === "rollback") {
    const found = before.specs[one.generation - 1];
    return found === undefined ? refused(412) : changed(before, found, before.labels);
  }
  const merged = Object.entries({ ...last, ...one.spec }).filter(([, value]) => value !== null);
  const kept = Object.entries({ ...before.labels, ...one.labels }).filter(([, value]) => value !== null);
  return changed(before, Object.fromEntries(merged), Object.fromEntries(kept) as Record<string, string>);
}

function changed(
  before: Known,
  next: Record<string, Json>,
  nextLabels: Record<string, string>,
): { answer: [number, string]; after: Known } {
  const sameSpec = equal(before.specs.at(-1), next);
  if (sameSpec && equal(before.labels, nextLabels)) return { answer: [200, "unchanged"], after: before };
  return {
    answer: [200, "updated"],
    after: { labels: nextLabels, specs: sameSpec ? before.specs : [...before.specs, next] },
  };
}

function equal(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown) => JSON.stringify(Object.entries(value as object).sort());
  return sorted(a) === sorted(b);
}
