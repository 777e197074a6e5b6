import { Code, ConnectError } from "@connectrpc/connect";
import { valueAt } from "@reeve/model";
import {
  Outcome,
  type Problem,
  ProblemSchema,
  WatchResponse_Type as Type,
  type WatchResponse,
} from "@reeve/protocol";
import { describe, expect, test, vi } from "vitest";
import { note, noteAt, testDoor, transports } from "./testing.ts";

const protocols = Object.keys(transports) as (keyof typeof transports)[];

describe.each(protocols)("%s", (protocol) => {
  test("applies, reads, lists, patches, compares, rolls back and deletes", async () => {
    const client = (await testDoor()).client(protocol);
    const made = await client.apply({
      manifest: note("a", "one", { tier: "web" }),
      options: { reason: "first" },
    });
    expect(made).toMatchObject({
      outcome: Outcome.CREATED,
      resource: { kind: "Note", spec: { text: "one" } },
    });
    expect(await client.apply({ manifest: note("a", "one", { tier: "web" }) })).toMatchObject({
      outcome: Outcome.UNCHANGED,
    });
    await client.apply({ manifest: note("b", "two") });

    expect(await client.get({ address: noteAt("a") })).toMatchObject({
      resource: { metadata: { name: "a", generation: 1 } },
    });
    const page = await client.list({ selection: { kind: "Note" }, limit: 1 });
    expect(page.items).toMatchObject([{ metadata: { name: "a" } }]);
    const rest = await client.list({ selection: { kind: "Note" }, continue: page.continue });
    expect(rest).toMatchObject({
      items: [{ metadata: { name: "b" } }],
      continue: "",
      revision: page.revision,
    });
    const web = await client.list({ selection: { kind: "Note", labels: "tier=web" } });
    expect(web.items).toHaveLength(1);

    const diff = await client.diff({ manifest: note("a", "two", { tier: "web" }) });
    expect(diff).toMatchObject({
      outcome: Outcome.UPDATED,
      before: { spec: { text: "one" } },
      after: { spec: { text: "two" } },
    });
    expect(diff.changes).toMatchObject([
      { pointer: "/spec/text", before: { kind: { value: "one" } }, after: { kind: { value: "two" } } },
    ]);
    const patched = await client.patch({
      address: noteAt("a"),
      patch: { spec: { text: "three", size: 2 ** 53 - 1 } },
    });
    expect(patched).toMatchObject({
      outcome: Outcome.UPDATED,
      resource: { spec: { text: "three", size: 2 ** 53 - 1 } },
    });
    const history = await client.history({ address: noteAt("a") });
    expect(history.generations).toMatchObject([
      { generation: 2n },
      { generation: 1n, reason: "first", author: "user:olga" },
    ]);
    expect(await client.rollback({ address: noteAt("a"), generation: 1n })).toMatchObject({
      resource: { spec: { text: "one" } },
    });

    const acted = await client.act({ address: noteAt("a"), action: "shout", input: { times: 2 } });
    expect(acted.output?.kind).toEqual({ case: "stringValue", value: "ONEONE" });
    expect(await client.why({ address: noteAt("a") })).toMatchObject({ holds: [] });
    expect((await client.events({ address: noteAt("a") })).events).toEqual([]);
    expect((await client.listKinds({})).kinds).toMatchObject([{ name: "Note", plural: "notes" }]);

    expect(await client.delete({ address: noteAt("a") })).toMatchObject({
      gone: true,
      resource: { metadata: { name: "a" } },
    });
    expect(await refusedBy(client.get({ address: noteAt("a") }))).toMatchObject({
      code: Code.NotFound,
      problem: { kind: "not_found" },
    });
  });

  test("a refusal carries kind, pointer and next step; nobody gets in without a token, or with a cookie", async () => {
    const door = await testDoor();
    const client = door.client(protocol);
    const { code, message, problem } = await refusedBy(client.apply({ manifest: note("a", "") }));
    expect(code).toBe(Code.InvalidArgument);
    expect(message).toContain("/spec/text");
    expect(problem).toMatchObject({ kind: "invalid", detail: message });
    expect(problem?.errors).toMatchObject([{ pointer: "/spec/text" }]);
    expect(problem?.next).toContain("correct the named fields");
    expect(problem?.requestId).toMatch(/^[0-9a-f-]{36}$/);

    const list = { selection: { kind: "Note" } };
    expect(await refusedBy(door.client(protocol, "").list(list))).toMatchObject({
      code: Code.Unauthenticated,
      problem: { kind: "unauthenticated" },
    });
    expect(await refusedBy(door.client(protocol, "nonsense").list(list))).toMatchObject({
      code: Code.Unauthenticated,
    });
    const cookie = { headers: { cookie: "reeve=token-of-olga" } };
    expect(await refusedBy(door.client(protocol, "").list(list, cookie))).toMatchObject({
      code: Code.Unauthenticated,
    });
    expect(
      await refusedBy(door.client(protocol, "token-of-vera").apply({ manifest: note("a", "x") })),
    ).toMatchObject({ code: Code.PermissionDenied });
    const watched = (async () => {
      for await (const _ of door.client(protocol, "").watch(list)) break;
    })();
    expect(await refusedBy(watched)).toMatchObject({
      code: Code.Unauthenticated,
      problem: { kind: "unauthenticated" },
    });
  });

  test("watches: what there is, then every change in order, until the client leaves", async () => {
    const door = await testDoor();
    const client = door.client(protocol);
    await client.apply({ manifest: note("a", "one") });
    const leaving = new AbortController();
    const heard: WatchResponse["event"][] = [];
    const watching = (async () => {
      for await (const { event } of client.watch({ selection: { kind: "Note" } }, { signal: leaving.signal }))
        heard.push(event);
    })();
    await vi.waitFor(() => expect(heard.at(-1)?.case).toBe("synced"), 60_000);
    for (let n = 0; n < 20; n++) await client.apply({ manifest: note("b", `text ${n}`) });
    await client.delete({ address: noteAt("a") });
    await vi.waitFor(() => expect(heard).toHaveLength(23), 60_000);
    const changes = heard.flatMap((event) => (event.case === "changed" ? [event.value] : []));
    expect(changes.map(({ type }) => type)).toEqual([
      Type.ADDED,
      Type.ADDED,
      ...Array(19).fill(Type.MODIFIED),
      Type.REMOVED,
    ]);
    expect(changes[20]?.resource).toMatchObject({ metadata: { name: "b" }, spec: { text: "text 19" } });
    const revisions = changes.map(({ revision }) => Number(revision));
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));

    expect(door.control.context.hub.watchers).toBe(1);
    leaving.abort();
    await expect(watching).rejects.toThrow();
    await vi.waitFor(() => expect(door.control.context.hub.watchers).toBe(0), 60_000);
    // What was there at the start is no place to resume from; a change is.
    expect(changes[0]?.revision).toBe(0n);
    const resumed = client.watch({ selection: { kind: "Note" }, since: changes[1]?.revision as bigint });
    for await (const { event } of resumed) {
      expect(event).toMatchObject({
        case: "changed",
        value: { type: Type.MODIFIED, resource: { spec: { text: "text 1" } } },
      });
      break;
    }
    expect(door.errors).toEqual([]);
  });

  test("a watch ends with a fault when the server stops, and with `gone` for a revision of another timeline", async () => {
    const door = await testDoor();
    const client = door.client(protocol);
    const read = async (since?: bigint) => {
      for await (const { event } of client.watch({ selection: { kind: "Note" }, since }))
        if (event.case === "synced") door.control.context.hub.close();
    };
    expect(await refusedBy(read())).toMatchObject({
      code: Code.Unavailable,
      problem: { kind: "unavailable" },
    });
    expect(await refusedBy(read(999_999n))).toMatchObject({
      code: Code.OutOfRange,
      problem: { kind: "gone" },
    });
  });
});

test("applying many gives each its own verdict, and a repeat with the same key gets the first answers again", async () => {
  const client = (await testDoor()).client("gRPC");
  const request = {
    manifests: [note("a", "one"), note("b", ""), note("c", "three")],
    options: { idempotencyKey: "k-1" },
  };
  const first = await client.applyMany(request);
  expect(first.results.map(({ result }) => result.case)).toEqual(["applied", "problem", "applied"]);
  expect(first.results[1]?.result.value).toMatchObject({
    kind: "invalid",
    errors: [{ pointer: "/spec/text" }],
  });
  await client.apply({ manifest: note("a", "changed since") });
  const again = await client.applyMany(request);
  expect(again.results[0]?.result.value).toMatchObject({
    outcome: Outcome.CREATED,
    resource: { spec: { text: "one" } },
  });
});

test("a watch of a long list tells all of it, at the reader's pace", async () => {
  const client = (await testDoor()).client("gRPC");
  for (const batch of ["a", "b", "c"])
    await client.applyMany({
      manifests: Array.from({ length: 1000 }, (_, n) => note(`${batch}-${n}`, "one")),
    });
  const names = new Set<unknown>();
  for await (const { event } of client.watch({ selection: { kind: "Note" } })) {
    if (event.case === "synced") break;
    names.add(valueAt(event.value?.resource, "metadata.name"));
  }
  expect(names.size).toBe(3000);
});

test("a repeat is recognised whatever the order of its keys, and the same key for something else is refused", async () => {
  const client = (await testDoor()).client("Connect over HTTP/2");
  const options = { idempotencyKey: "k-2" };
  const { apiVersion, kind, metadata, spec } = note("a", "one");
  expect(await client.apply({ manifest: { apiVersion, kind, metadata, spec }, options })).toMatchObject({
    outcome: Outcome.CREATED,
  });
  expect(await client.apply({ manifest: { spec, metadata, kind, apiVersion }, options })).toMatchObject({
    outcome: Outcome.CREATED,
  });
  expect(await refusedBy(client.apply({ manifest: note("a", "two"), options }))).toMatchObject({
    code: Code.Aborted,
    problem: { kind: "conflict" },
  });
});

test("conditions hold: a revision that has passed, a name that exists, a dry run that keeps nothing", async () => {
  const client = (await testDoor()).client("gRPC");
  await client.apply({ manifest: note("a", "one") });
  expect(
    await refusedBy(client.apply({ manifest: note("a", "two"), options: { ifMatch: 0n } })),
  ).toMatchObject({ code: Code.Aborted });
  expect(
    await refusedBy(client.apply({ manifest: note("a", "two"), options: { ifNoneMatch: true } })),
  ).toMatchObject({ code: Code.AlreadyExists });
  expect(await client.apply({ manifest: note("a", "two"), options: { dryRun: true } })).toMatchObject({
    outcome: Outcome.UPDATED,
  });
  expect(await client.get({ address: noteAt("a") })).toMatchObject({ resource: { spec: { text: "one" } } });
});

test("a forced deletion says what it left behind; an ordinary one waits and says so", async () => {
  const client = (await testDoor()).client("gRPC");
  const manifest = note("a", "one");
  await client.apply({
    manifest: { ...manifest, metadata: { ...manifest.metadata, finalizers: ["test/outside"] } },
  });
  expect(await client.delete({ address: noteAt("a") })).toMatchObject({ gone: false, leftBehind: [] });
  expect(await client.why({ address: noteAt("a") })).toMatchObject({
    holds: [{ what: "test/outside", count: 1 }],
  });
  const forced = { address: noteAt("a"), force: true, options: { idempotencyKey: "once" } };
  expect(await client.delete(forced)).toMatchObject({ gone: true, leftBehind: ["test/outside"] });
  expect(await client.delete(forced)).toMatchObject({ gone: true });
  expect(await refusedBy(client.delete({ ...forced, options: {} }))).toMatchObject({ code: Code.NotFound });
});

test("our own mistakes are logged once and tell the caller nothing but the request id", async () => {
  const door = await testDoor();
  const client = door.client("gRPC");
  await client.apply({ manifest: note("a", "one") });
  const { code, message, problem } = await refusedBy(client.act({ address: noteAt("a"), action: "trip" }));
  expect({ code, kind: problem?.kind }).toEqual({ code: Code.Internal, kind: "internal" });
  expect(message).not.toContain("secret");
  expect(door.errors).toMatchObject([
    { err: { message: "the secret inside" }, requestId: problem?.requestId },
  ]);
});

test("what no field can hold is refused by name: NUL, limits, deep nesting, missing parts, unknown kinds", async () => {
  const client = (await testDoor()).client("gRPC");
  const pointerOf = async (call: Promise<unknown>) => (await refusedBy(call)).problem?.errors[0]?.pointer;
  expect(await pointerOf(client.get({}))).toBe("/address");
  expect(await pointerOf(client.get({ address: { kind: "Nothing" } }))).toBe("/kind");
  expect(await pointerOf(client.get({ address: noteAt("a\0b") }))).toBe("/address/name");
  expect(await pointerOf(client.list({ selection: { kind: "Note", labels: "a=\0" } }))).toBe(
    "/selection/labels",
  );
  expect(await pointerOf(client.list({ selection: { kind: "Note" }, limit: 1001 }))).toBe("/limit");
  expect(await pointerOf(client.rollback({ address: noteAt("a"), generation: 2n ** 60n }))).toBe(
    "/generation",
  );
  expect(await pointerOf(client.apply({ manifest: note("a", "x"), options: { reason: "a\0" } }))).toBe(
    "/options/reason",
  );
  expect(await pointerOf(client.apply({}))).toBe("/manifest");
  let deep: Record<string, unknown> = {};
  for (let n = 0; n < 60; n++) deep = { deep };
  const manifest = { ...note("a", "x"), spec: { text: "x", more: deep } } as never;
  expect((await refusedBy(client.apply({ manifest }))).problem?.errors[0]?.message).toContain(
    "nested deeper than 40",
  );
});

test("a key called __proto__ stays data", async () => {
  const client = (await testDoor()).client("gRPC");
  const more = JSON.parse('{"__proto__":{"polluted":true}}') as object;
  const made = await client.apply({ manifest: { ...note("a", "x"), spec: { text: "x", more } } as never });
  expect(JSON.stringify(made.resource?.spec)).toContain('"__proto__":{"polluted":true}');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test("a message over 4 MiB is refused", async () => {
  const client = (await testDoor()).client("gRPC");
  const manifest = note("a", "x".repeat(4 * 1024 * 1024));
  expect((await refusedBy(client.apply({ manifest }))).code).toBe(Code.ResourceExhausted);
});

async function refusedBy(
  call: Promise<unknown>,
): Promise<{ code: Code; message: string; problem: Problem | undefined }> {
  const error = ConnectError.from(
    await call.then(
      (answer) => {
        throw new Error(`expected a refusal, got ${JSON.stringify(answer)}`);
      },
      (thrown: unknown) => thrown,
    ),
  );
  return { code: error.code, message: error.rawMessage, problem: error.findDetails(ProblemSchema)[0] };
}
