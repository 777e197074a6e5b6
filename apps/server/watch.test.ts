import { connect } from "node:net";
import type { Resource } from "@reeve/model";
import { defaultRetention, retentionRules } from "@reeve/store";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done, inScope, newToken, newUser } from "./testing-people.ts";
import { type Heard, openWatch, replayed, type TestWatch } from "./testing-watch.ts";

const accounts = "/organizations/acme/serviceaccounts";

async function put(server: TestServer, name: string, body: object = {}): Promise<Resource> {
  return (await done(server.call("PUT", `${accounts}/${name}`, { body }))).body;
}

async function counter(server: TestServer): Promise<number> {
  return (await server.database.query<{ value: number }>("select value from revision"))[0]?.value ?? -1;
}

/** Makes one more change and waits until the watch has told it: then everything before it has been told too. */
async function settled(
  server: TestServer,
  watch: TestWatch,
  labels: Record<string, string> = {},
): Promise<void> {
  const { metadata } = await put(server, `mark-${Math.random().toString(36).slice(2, 10)}`, {
    metadata: { labels },
  });
  await watch.until(metadata.revision);
}

test("a watch first tells everything there is, then each change in the order of commits", async () => {
  const server = await testServer();
  for (const name of ["a", "b", "c"]) await put(server, name);
  const watch = await openWatch(server, accounts);
  expect(watch.status).toBe(200);
  await watch.find((one) => one.event === "synced");
  expect(watch.told.map((one) => one.split("@")[0])).toEqual(["added a", "added b", "added c"]);
  await put(server, "d");
  await put(server, "a", { spec: { description: "changed" } });
  await done(server.call("DELETE", `${accounts}/b`));
  await settled(server, watch);
  expect(watch.told.slice(3, 6).map((one) => one.split("@")[0])).toEqual([
    "added d",
    "modified a",
    "removed b",
  ]);
  const ids = watch.heard
    .slice(watch.heard.findIndex((one) => one.event === "synced"))
    .map((one) => Number(one.id));
  expect(ids).toEqual([...ids].sort((one, other) => one - other));
  expect(watch.heard.find((one) => one.event === "modified")?.data.resource.spec.description).toBe("changed");
});

test("a page of large resources is told whole, however much it is together", async () => {
  const server = await testServer();
  const script = "echo a line of a long script\n".repeat(1200);
  const resources = Array.from({ length: 300 }, (_, index) => ({
    apiVersion: "reeve/v1",
    kind: "Workflow",
    metadata: { scope: "acme", name: `long-${index}` },
    spec: { steps: [{ name: "only", run: script }] },
  }));
  for (let from = 0; from < resources.length; from += 20)
    await done(server.call("POST", "/apply", { body: { resources: resources.slice(from, from + 20) } }));
  const watch = await openWatch(server, "/organizations/acme/workflows");
  await watch.find((one) => one.event === "synced");
  expect(watch.told).toHaveLength(300);
});

test("an apply that changes nothing, a dry run and a refusal tell nothing", async () => {
  const server = await testServer();
  await put(server, "a");
  const watch = await openWatch(server, accounts);
  await put(server, "a");
  await server.call("PUT", `${accounts}/b?dryRun=true`, { body: {} });
  await server.call("PUT", `${accounts}/b`, { body: { spec: { bogus: 1 } } });
  await server.call("DELETE", `${accounts}/none`);
  await settled(server, watch);
  expect(watch.told.map((one) => one.split("@")[0]?.slice(0, 11))).toEqual(["added a", "added mark-"]);
});

test("a watch resumes after any event it was told, by `since` or by Last-Event-ID, and misses nothing", async () => {
  const server = await testServer();
  const from = (await put(server, "first")).metadata.revision;
  const whole = await openWatch(server, `${accounts}?since=${from}`);
  for (let index = 0; index < 6; index++)
    await put(server, `n${index % 3}`, { spec: { description: `${index}` } });
  await done(server.call("DELETE", `${accounts}/n1`));
  await settled(server, whole);
  const told = whole.heard.filter((one) => one.event !== "synced");
  expect(told).toHaveLength(8);
  for (const [index, { id }] of told.entries()) {
    const rest = told.slice(index + 1).map(({ event, data }) => [event, data.resource]);
    for (const again of [
      await openWatch(server, `${accounts}?since=${id}`),
      await openWatch(server, `${accounts}?since=1`, { lastId: id }),
    ]) {
      await again.find((one) => one.event === "synced");
      expect(
        again.heard.filter((one) => one.event !== "synced").map(({ event, data }) => [event, data.resource]),
      ).toEqual(rest);
      again.close();
    }
  }
});

test("a connection lost while everything there is was being told does not lose the rest of it", async () => {
  const server = await testServer();
  for (const name of ["c", "b", "a"]) await put(server, name);
  const watch = await openWatch(server, accounts);
  await watch.find((one) => one.event === "synced");
  // Wherever it broke off, a client goes on with the last id it has; with none, it begins anew.
  for (let broken = 0; broken <= 3; broken++) {
    const before = watch.heard.slice(0, broken);
    const id = before.at(-1)?.id ?? "";
    const again = await openWatch(server, accounts, id === "" ? {} : { lastId: id });
    await again.find((one) => one.event === "synced");
    expect([...replayed([...before, ...again.heard]).keys()].sort(), `after ${broken}`).toEqual([
      "acme/a",
      "acme/b",
      "acme/c",
    ]);
    again.close();
  }
});

test("entering a selector is told as added, leaving it as removed, and what stays outside not at all", async () => {
  const server = await testServer();
  const watch = await openWatch(server, `${accounts}?labels=tier%3Dweb,!old&fields=spec.disabled%3Dfalse`);
  await put(server, "x");
  await put(server, "x", { metadata: { labels: { tier: "web" } } });
  await put(server, "x", { spec: { description: "inside" } });
  await put(server, "x", { spec: { disabled: true } });
  await put(server, "x", { spec: { disabled: true, description: "outside" } });
  await put(server, "x", { spec: { disabled: false } });
  await done(server.call("PATCH", `${accounts}/x`, { body: { metadata: { labels: { old: "yes" } } } }));
  await done(server.call("PATCH", `${accounts}/x`, { body: { metadata: { labels: { old: null } } } }));
  await done(server.call("DELETE", `${accounts}/x`));
  await put(server, "y");
  await done(server.call("DELETE", `${accounts}/y`));
  await settled(server, watch, { tier: "web" });
  expect(watch.told.map((one) => one.split(" ")[0])).toEqual([
    "added",
    "modified",
    "removed",
    "added",
    "removed",
    "added",
    "removed",
    "added",
  ]);
});

test("what only the server changes is told as well: a deletion that waits, a status", async () => {
  const server = await testServer();
  await put(server, "ci", { metadata: { finalizers: ["a/b"] } });
  const watch = await openWatch(server, `${accounts}?since=${await counter(server)}`);
  const tokens = await openWatch(server, "/organizations/acme/tokens");
  await newToken(server, "acme", "ci");
  await done(server.call("DELETE", `${accounts}/ci`));
  await watch.find((one) => one.event === "modified" && one.data.resource.metadata.deletingAt !== undefined);
  await done(server.call("PATCH", `${accounts}/ci`, { body: { metadata: { finalizers: [] } } }));
  await watch.find((one) => one.event === "removed");
  await tokens.find(
    (one) => one.event === "modified" && typeof one.data.resource.status.issuedAt === "string",
  );
  await tokens.find((one) => one.event === "removed");
});

test("a deep watch tells what lies below, and only what the watcher may read", async () => {
  const server = await testServer();
  for (const scope of ["acme/shop", "acme/shop/prod", "acme/blog", "globex", "globex/shop"])
    await done(server.call("PUT", inScope(scope), { body: {} }));
  const bob = await newUser(server, "bob", [{ role: "viewer", scope: "acme/shop" }]);
  const watches = await Promise.all([
    openWatch(server, `${accounts}?deep=true`),
    openWatch(server, accounts),
    openWatch(server, "/serviceaccounts?deep=true", { token: bob.token }),
  ]);
  const scopes = ["acme", "acme/shop", "acme/shop/prod", "acme/blog", "globex", "globex/shop", "acme/shop"];
  for (const [index, scope] of scopes.entries())
    await done(server.call("PUT", `${inScope(scope)}/serviceaccounts/n${index}`, { body: {} }));
  for (const [index, scope] of scopes.entries())
    await done(server.call("DELETE", `${inScope(scope)}/serviceaccounts/n${index}`));
  const mark = await put(server, "mark");
  const last = (
    await done(server.call("PUT", "/organizations/acme/projects/shop/serviceaccounts/last", { body: {} }))
  ).body;
  await watches[0].until(last.metadata.revision);
  await watches[1].until(mark.metadata.revision);
  await watches[2].until(last.metadata.revision);
  const seen = watches.map((watch) =>
    [...new Set(watch.heard.flatMap(({ data }) => data.resource?.metadata.scope ?? []))].sort(),
  );
  expect(seen).toEqual([
    ["acme", "acme/blog", "acme/shop", "acme/shop/prod"],
    ["acme"],
    ["acme/shop", "acme/shop/prod"],
  ]);
});

async function compact(server: TestServer): Promise<void> {
  await server.database.query("update change set at = now() - interval '10 days'");
  const rule = retentionRules(defaultRetention).find((one) => one.name === "changes");
  await rule?.prune(server.database, 100_000);
}

test("a revision that is no longer kept, or that never was, is answered with 410; a list leads back", async () => {
  const server = await testServer();
  const { metadata } = await put(server, "a");
  await put(server, "b");
  const running = await openWatch(server, accounts);
  await running.find((one) => one.event === "synced");
  await compact(server);
  await put(server, "c");
  const old = await server.call("GET", `${accounts}?watch=true&since=${metadata.revision}`);
  expect([old.status, old.body.kind, old.body.next]).toEqual([
    410,
    "gone",
    expect.stringContaining("list again"),
  ]);
  expect(
    (await server.call("GET", `${accounts}?watch=true`, { headers: { "last-event-id": "1" } })).status,
  ).toBe(410);
  expect(
    (await server.call("GET", `${accounts}?watch=true&since=${(await counter(server)) + 1}`)).status,
  ).toBe(410);
  const listed = (await server.call("GET", accounts)).body;
  await put(server, "d");
  const resumed = await openWatch(server, `${accounts}?since=${listed.revision}`);
  await resumed.find((one) => one.data.resource?.metadata.name === "d");
  expect(resumed.told).toHaveLength(1);
  await running.find((one) => one.data.resource?.metadata.name === "d");
});

test("a watcher of one replica is told what another wrote, in the order of commits", async () => {
  const one = await testServer();
  const two = await testServer({ share: one });
  const watches = await Promise.all([openWatch(one, accounts), openWatch(two, accounts)]);
  await Promise.all(
    [...Array(60)].map((_, index) =>
      put(index % 2 === 0 ? one : two, `n${index % 7}`, { spec: { description: `${index}` } }),
    ),
  );
  const last = await put(two, "last");
  for (const watch of watches) {
    await watch.until(last.metadata.revision);
    const revisions = watch.heard
      .filter((heard) => heard.event !== "synced")
      .map((heard) => heard.data.resource.metadata.revision);
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    expect(new Set(revisions).size).toBe(revisions.length);
    expect(revisions).toHaveLength(61);
  }
});

test("a right that is lost ends the watch, on every replica, before anything that came after it is told", async () => {
  const server = await testServer();
  const second = await testServer({ share: server });
  const bob = await newUser(server, "bob", [{ role: "viewer", scope: "acme" }]);
  const watches = await Promise.all([
    openWatch(server, accounts, { token: bob.token }),
    openWatch(second, accounts, { token: bob.token }),
  ]);
  await settled(server, watches[0]);
  const { items } = (
    await server.call("GET", "/organizations/acme/rolebindings?fields=spec.subject.name%3Dbob")
  ).body;
  const binding = {
    apiVersion: "reeve/v1",
    kind: "RoleBinding",
    metadata: { scope: "acme", name: items[0].metadata.name },
    spec: { role: "viewer", subject: { kind: "User", name: "ada" } },
  };
  const secret = {
    apiVersion: "reeve/v1",
    kind: "ServiceAccount",
    metadata: { scope: "acme", name: "secret" },
  };
  // In one request, so that both are in one commit.
  await done(server.call("POST", "/apply", { body: { resources: [binding, secret] } }));
  await put(server, "later");
  for (const watch of watches) {
    const end = await watch.find((one) => one.event === "end");
    expect(end.data.problem).toMatchObject({ kind: "not_found", status: 404 });
    await watch.over;
    expect(watch.told.filter((one) => /secret|later/.test(one))).toEqual([]);
  }
});

test("a token or user that is gone, or disabled, ends its watches", async () => {
  const server = await testServer();
  const bob = await newUser(server, "bob", [{ role: "viewer", scope: "acme" }]);
  const watch = await openWatch(server, accounts, { token: bob.token });
  await watch.find((one) => one.event === "synced");
  await done(server.call("PATCH", "/users/bob", { body: { spec: { disabled: true } } }));
  expect((await watch.find((one) => one.event === "end")).data.problem.status).toBe(401);
  await put(server, "ci");
  await done(
    server.call("PUT", "/organizations/acme/rolebindings/ci", {
      body: { spec: { role: "viewer", subject: { kind: "ServiceAccount", name: "ci" } } },
    }),
  );
  const second = await openWatch(server, accounts, { token: await newToken(server, "acme", "ci") });
  await second.find((one) => one.event === "synced");
  await done(server.call("DELETE", "/organizations/acme/tokens/ci"));
  expect((await second.find((one) => one.event === "end")).data.problem.status).toBe(401);
});

test("somebody else's rights do not disturb a watch", async () => {
  const server = await testServer();
  const bob = await newUser(server, "bob", [{ role: "viewer", scope: "acme" }]);
  const watch = await openWatch(server, accounts, { token: bob.token });
  await newUser(server, "eve", [{ role: "owner", scope: "acme" }]);
  await done(server.call("DELETE", "/users/eve"));
  await settled(server, watch);
  expect(watch.heard.some((one) => one.event === "end")).toBe(false);
});

test("more rights end a watch that would now show more, so that nothing is missed", async () => {
  const server = await testServer();
  for (const scope of ["acme/shop", "acme/blog"])
    await done(server.call("PUT", inScope(scope), { body: {} }));
  const bob = await newUser(server, "bob", [{ role: "viewer", scope: "acme/shop" }]);
  const watch = await openWatch(server, "/organizations/acme/projects", { token: bob.token });
  await watch.find((one) => one.event === "synced");
  expect(replayed(watch.heard).size).toBe(1);
  await done(
    server.call("PUT", "/organizations/acme/projects/blog/rolebindings/bob", {
      body: { spec: { role: "viewer", subject: { kind: "User", name: "bob" } } },
    }),
  );
  expect((await watch.find((one) => one.event === "end")).data.problem.kind).toBe("conflict");
});

test("a reader that does not read is cut off, and does not slow the others down", async () => {
  const server = await testServer();
  const other = await openWatch(server, accounts);
  const closed = Promise.withResolvers<void>();
  const slow = connect(Number(new URL(server.url).port), "127.0.0.1", () => {
    slow.write(
      `GET /api/v1${accounts}?watch=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.owner}\r\n\r\n`,
    );
    slow.pause();
  });
  slow.on("error", () => {});
  slow.on("close", () => closed.resolve());
  await expect.poll(async () => (await server.call("GET", "/debug/lane")).body.items[0].watchers).toBe(2);
  const note = "x".repeat(60_000);
  await put(server, "big");
  for (let round = 0; round < 6; round++)
    await Promise.all(
      [...Array(50)].map((_, index) =>
        done(
          server.call("PATCH", `${accounts}/big`, {
            body: { metadata: { annotations: { note: `${note}${round}-${index}` } } },
          }),
        ),
      ),
    );
  const last = await put(server, "last");
  await other.until(last.metadata.revision);
  await expect.poll(async () => (await server.call("GET", "/debug/lane")).body.items[0].watchers).toBe(1);
  slow.resume();
  await closed.promise;
});

test("a watch whose client went away is forgotten", async () => {
  const server = await testServer();
  const watchers = async () => (await server.call("GET", "/debug/lane")).body.items[0].watchers;
  const watches = await Promise.all([...Array(5)].map(() => openWatch(server, accounts)));
  for (const watch of watches) await watch.find((one) => one.event === "synced");
  expect(await watchers()).toBe(5);
  for (const watch of watches) watch.close();
  await expect.poll(watchers).toBe(0);
});

const names = ["a", "b", "c", "d", "e", "f"];
const mutation = fc.record({
  name: fc.constantFrom(...names),
  what: fc.constantFrom("put" as const, "put" as const, "put" as const, "patch" as const, "delete" as const),
  labels: fc.dictionary(fc.constantFrom("tier", "env"), fc.constantFrom("web", "db", "dev"), { maxKeys: 2 }),
  disabled: fc.boolean(),
});
const selector = fc.record({
  labels: fc.constantFrom(
    "",
    "tier=web",
    "tier!=web",
    "tier",
    "!tier",
    "tier in (web,db),env!=dev",
    "tier notin (db)",
    "env=dev,tier=db",
  ),
  fields: fc.constantFrom(
    "",
    "spec.disabled=true",
    "spec.disabled!=true",
    "metadata.name!=a",
    "metadata.name in (a,b,c)",
  ),
});

test("whoever replays a watch of any selector, begun at any moment, holds exactly what a list shows", {
  timeout: 120_000,
}, async () => {
  const server = await testServer();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(mutation, { minLength: 200, maxLength: 200 }),
      fc.array(selector, { minLength: 4, maxLength: 4 }),
      async (mutations, selectors) => {
        const scope = `acme/r${++round}`;
        await done(server.call("PUT", inScope(scope), { body: {} }));
        const path = `${inScope(scope)}/serviceaccounts`;
        const watches: { watch: TestWatch; known: Map<string, Resource>; query: string }[] = [];
        for (const [index, one] of mutations.entries()) {
          if (index % 50 === 0)
            watches.push(
              await begin(
                server,
                path,
                selectors[index / 50] as { labels: string; fields: string },
                index % 100 === 0,
              ),
            );
          await mutate(server, path, one);
        }
        for (const { watch, known, query } of watches) {
          // A mark that every selector lets through tells that all has been told.
          const mark = (
            await done(
              server.call("PUT", `${path}/c`, {
                body: { metadata: { labels: {} }, spec: { description: `${Math.random()}` } },
              }),
            )
          ).body;
          const { items, revision } = (await server.call("GET", `${path}?${query}`)).body as {
            items: Resource[];
            revision: number;
          };
          expect(revision).toBeGreaterThanOrEqual(mark.metadata.revision);
          await expect
            .poll(() => believed(watch, known))
            .toEqual(items.map(({ metadata }) => `${metadata.name}@${metadata.revision}`));
        }
      },
    ),
    { numRuns: 4 },
  );
});

/** Begins a watch, half of them with a full listing of its own, half from a list's revision. */
async function begin(
  server: TestServer,
  path: string,
  one: { labels: string; fields: string },
  fromScratch: boolean,
) {
  const query = `labels=${encodeURIComponent(one.labels)}&fields=${encodeURIComponent(one.fields)}`;
  if (fromScratch)
    return { watch: await openWatch(server, `${path}?${query}`), known: new Map<string, Resource>(), query };
  const { items, revision } = (await server.call("GET", `${path}?${query}`)).body as {
    items: Resource[];
    revision: number;
  };
  const known = new Map(items.map((item) => [`${item.metadata.scope}/${item.metadata.name}`, item]));
  return { watch: await openWatch(server, `${path}?${query}&since=${revision}`), known, query };
}

function believed(watch: TestWatch, known: Map<string, Resource>): string[] {
  const start: Heard[] = [...known.values()].map((resource) => ({
    event: "added",
    id: "",
    data: { resource } as Heard["data"],
  }));
  return [...replayed([...start, ...watch.heard]).values()]
    .map(({ metadata }) => `${metadata.name}@${metadata.revision}`)
    .sort();
}

async function mutate(
  server: TestServer,
  path: string,
  { name, what, labels, disabled }: { name: string; what: string; labels: object; disabled: boolean },
): Promise<void> {
  if (what === "delete") await server.call("DELETE", `${path}/${name}`);
  if (what === "put")
    await done(server.call("PUT", `${path}/${name}`, { body: { metadata: { labels }, spec: { disabled } } }));
  if (what === "patch")
    await server.call("PATCH", `${path}/${name}`, { body: { metadata: { labels }, spec: { disabled } } });
}

test("a listing of more than one page, under writers, is told in order and each state at most once", async () => {
  const server = await testServer();
  const resources = [...Array(1000)].map((_, index) => ({
    apiVersion: "reeve/v1",
    kind: "ServiceAccount",
    metadata: { scope: "acme", name: `n${String(index).padStart(4, "0")}` },
  }));
  await done(server.call("POST", "/apply", { body: { resources } }));
  for (let round = 0; round < 5; round++) {
    const writing = [...Array(40)].map((_, index) =>
      put(server, `n${String(999 - index).padStart(4, "0")}`, { spec: { description: `${round}` } }),
    );
    const watch = await openWatch(server, accounts);
    await Promise.all(writing);
    await settled(server, watch);
    const last = new Map<string, number>();
    for (const { event, data } of watch.heard) {
      if (event === "synced") continue;
      const { name, revision } = data.resource.metadata;
      expect(revision, `${name} went backwards or was repeated`).toBeGreaterThan(last.get(name) ?? 0);
      last.set(name, revision);
    }
    watch.close();
  }
});
