import { fieldValues, matches, parseFieldSelector, parseLabelSelector, type Resource } from "@reeve/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done, inScope, newUser, type Person } from "./testing-people.ts";
import { openWatch, replayed } from "./testing-watch.ts";

const accounts = "/organizations/acme/serviceaccounts";

interface Page {
  readonly items: Resource[];
  readonly revision: number;
  readonly continue?: string;
}

async function apply(server: TestServer, resources: object[]): Promise<void> {
  const { body } = await done(server.call("POST", "/apply", { body: { resources } }));
  const problem = body.results.find((one: { problem?: object }) => one.problem !== undefined);
  if (problem !== undefined) throw new Error(JSON.stringify(problem));
}

function account(scope: string, name: string, labels: object = {}, spec: object = {}) {
  return { apiVersion: "reeve/v1", kind: "ServiceAccount", metadata: { scope, name, labels }, spec };
}

/** All pages of a list, each of a size of its own. */
async function allPages(call: Person["call"], path: string, sizes: () => number): Promise<Page[]> {
  const pages: Page[] = [];
  for (let token: string | undefined; pages.length === 0 || token !== undefined; ) {
    const query = `${path.includes("?") ? "&" : "?"}limit=${sizes()}${token === undefined ? "" : `&continue=${token}`}`;
    const page = (await done(call("GET", `${path}${query}`))).body as Page;
    pages.push(page);
    token = page.continue;
  }
  return pages;
}

const addresses = (pages: readonly Page[]) =>
  pages.flatMap((page) => page.items.map(({ metadata }) => `${metadata.scope}/${metadata.name}`));

test("what exists throughout is listed exactly once, whatever is written meanwhile and however large the pages", {
  timeout: 60_000,
}, async () => {
  const server = await testServer();
  for (const project of ["shop", "shop-b", "a"])
    await done(server.call("PUT", `/organizations/acme/projects/${project}`, { body: {} }));
  const scopes = ["acme", "acme/a", "acme/shop", "acme/shop-b"];
  const names = ["a", "a-1", "a1", "aa", "b", "b-b", "z", "0", "9-9", "x-0-y"];
  const lasting = scopes.flatMap((scope) => names.map((name) => account(scope, name)));
  await apply(server, lasting);
  const expected = lasting.map(({ metadata }) => `${metadata.scope}/${metadata.name}`).sort();
  let writing = true;
  const writers = [0, 1, 2].map(async (writer) => {
    for (let turn = 0; writing; turn++) {
      const at = (back: number) =>
        `${inScope(scopes[(turn - back) % 4] as string)}/serviceaccounts/w${writer}-${(turn - back) % 17}`;
      await done(server.call("PUT", at(0), { body: { spec: { description: `${turn}` } } }));
      if (turn > 3) await server.call("DELETE", at(3));
      // What stays is changed as well: its place in the list must not move.
      await done(
        server.call("PATCH", `${accounts}/${names[turn % names.length]}`, {
          body: { metadata: { annotations: { turn: `${turn}` } } },
        }),
      );
    }
  });
  try {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 1, max: 15 })), async (sizes) => {
        const pages = await allPages(
          server.call,
          `${accounts}?deep=true`,
          () => sizes.next().value as number,
        );
        const found = addresses(pages);
        expect(new Set(found).size, "something was listed twice").toBe(found.length);
        expect(found.filter((one) => expected.includes(one)).sort()).toEqual(expected);
        expect(
          new Set(pages.map((page) => page.revision)).size,
          "the revision is that of the first page",
        ).toBe(1);
      }),
      { numRuns: 12 },
    );
  } finally {
    writing = false;
    await Promise.all(writers);
  }
});

test("a list's pages and a watch from its revision together are exactly what is there", async () => {
  const server = await testServer();
  await apply(
    server,
    [...Array(30)].map((_, index) => account("acme", `n${index}`)),
  );
  let page = (await server.call("GET", `${accounts}?limit=7`)).body as Page;
  const known = new Map<string, Resource>();
  const { revision } = page;
  for (;;) {
    for (const item of page.items) known.set(item.metadata.name, item);
    await done(server.call("DELETE", `${accounts}/n${known.size}`));
    await done(server.call("PUT", `${accounts}/a${known.size}`, { body: {} }));
    await done(server.call("PUT", `${accounts}/n29`, { body: { spec: { description: `${known.size}` } } }));
    if (page.continue === undefined) break;
    page = (await server.call("GET", `${accounts}?limit=7&continue=${page.continue}`)).body;
  }
  const watch = await openWatch(server, `${accounts}?since=${revision}`);
  await watch.find((one) => one.event === "synced");
  const start = [...known.values()].map((resource) => ({
    event: "added",
    id: "",
    data: { resource } as never,
  }));
  const believed = [...replayed([...start, ...watch.heard]).values()]
    .map(({ metadata }) => `${metadata.name}@${metadata.revision}`)
    .sort();
  const now = (await server.call("GET", accounts)).body as Page;
  expect(believed).toEqual(now.items.map(({ metadata }) => `${metadata.name}@${metadata.revision}`).sort());
});

test("pages end where the list ends: no empty last page, no token too many", async () => {
  const server = await testServer();
  await apply(
    server,
    [...Array(12)].map((_, index) => account("acme", `n${index}`)),
  );
  for (const [limit, sizes] of [
    [12, [12]],
    [13, [12]],
    [11, [11, 1]],
    [6, [6, 6]],
    [5, [5, 5, 2]],
    [1, Array(12).fill(1)],
  ] as [number, number[]][]) {
    const pages = await allPages(server.call, accounts, () => limit);
    expect(
      pages.map((page) => page.items.length),
      `limit ${limit}`,
    ).toEqual(sizes);
    expect(new Set(addresses(pages)).size).toBe(12);
  }
  const none = (await server.call("GET", `${accounts}?labels=no%3Dbody`)).body as Page;
  expect([none.items, none.continue]).toEqual([[], undefined]);
  await apply(
    server,
    [...Array(100)].map((_, index) => account("acme", `m${index}`)),
  );
  expect((await server.call("GET", accounts)).body.items).toHaveLength(100);
  expect((await server.call("GET", `${accounts}?limit=1000`)).body.items).toHaveLength(112);
});

const keys = ["tier", "env", "x.y/z"];
const labels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom("", "web", "db"), { maxKeys: 3 });
const labelTerm = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...keys),
      fc.constantFrom("=", "==", "!="),
      fc.constantFrom("", "web", "db", "none"),
    )
    .map((parts) => parts.join("")),
  fc.constantFrom(...keys),
  fc.constantFrom(...keys).map((key) => `!${key}`),
  fc
    .tuple(
      fc.constantFrom(...keys),
      fc.constantFrom("in", "notin"),
      fc.subarray(["", "web", "db", "none"], { minLength: 1 }),
    )
    .map(([key, word, list]) => `${key} ${word} (${list.join(",")})`),
);
const fieldTerm = fc.oneof(
  fc.constantFrom("spec.email", "!spec.email", "spec.disabled", "!spec.disabled"),
  fc
    .tuple(fc.constantFrom("=", "!="), fc.constantFrom("true", "false", "maybe", ""))
    .map(([sign, value]) => `spec.disabled${sign}${value}`),
  fc
    .tuple(fc.constantFrom("=", "!="), fc.constantFrom("a@example.com", "b@example.com", ""))
    .map(([sign, value]) => `spec.email${sign}${value}`),
  fc
    .subarray(["u00", "u05", "u10", "nobody"], { minLength: 1 })
    .map((list) => `metadata.name in (${list.join(",")})`),
  fc.constantFrom("metadata.scope=", "metadata.scope!=", "metadata.name!=u03"),
);

test("selectors by labels and fields show exactly what the model says they match", {
  timeout: 60_000,
}, async () => {
  const server = await testServer();
  const specs = fc.record(
    { email: fc.constantFrom("a@example.com", "b@example.com"), disabled: fc.boolean() },
    { requiredKeys: [] },
  );
  const made = fc.sample(fc.tuple(labels, specs), { numRuns: 40, seed: 11 });
  await apply(
    server,
    made.map(([all, spec], index) => ({
      apiVersion: "reeve/v1",
      kind: "User",
      metadata: { name: `u${String(index).padStart(2, "0")}`, labels: all },
      spec,
    })),
  );
  const { items: users } = (await server.call("GET", "/users?limit=1000")).body as Page;
  const fields = ["spec.email", "spec.disabled"];
  let some = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(labelTerm, { maxLength: 3 }),
      fc.array(fieldTerm, { maxLength: 3 }),
      async (byLabel, byField) => {
        const [labelText, fieldText] = [byLabel.join(","), byField.join(",")];
        const page = (
          await done(
            server.call(
              "GET",
              `/users?limit=1000&labels=${encodeURIComponent(labelText)}&fields=${encodeURIComponent(fieldText)}`,
            ),
          )
        ).body as Page;
        const expected = users.filter(
          (user) =>
            matches(parseLabelSelector(labelText), user.metadata.labels) &&
            matches(parseFieldSelector(fieldText, fields), fieldValues(user, fields)),
        );
        expect(page.items.map((item) => item.metadata.name)).toEqual(
          expected.map((user) => user.metadata.name),
        );
        if (expected.length > 0 && expected.length < users.length) some++;
      },
    ),
    { numRuns: 150 },
  );
  expect(some, "most selectors chose all or nothing").toBeGreaterThan(20);
});

const tree = [
  "",
  "acme",
  "acme/shop",
  "acme/shop/prod",
  "acme/shop/test",
  "acme/blog",
  "acme/blog/prod",
  "acme2",
  "acme2/shop",
];

test("a list shows exactly what the caller may read, deep or not, from any scope", {
  timeout: 60_000,
}, async () => {
  const server = await testServer();
  for (const scope of tree.slice(1))
    if (scope !== "acme") await done(server.call("PUT", inScope(scope), { body: {} }));
  await apply(
    server,
    tree.slice(1).map((scope) => account(scope, "ci")),
  );
  const grants = [
    [],
    ["acme"],
    ["acme/shop"],
    ["acme/shop/prod"],
    ["acme/shop/prod", "acme/blog"],
    ["acme2/shop", "acme/shop/test"],
    [""],
  ];
  for (const [index, scopes] of grants.entries()) {
    const person = await newUser(
      server,
      `p${index}`,
      scopes.map((scope) => ({ role: "viewer", scope })),
    );
    for (const plural of ["serviceaccounts", "organizations", "projects", "workspaces"])
      for (const from of tree)
        for (const deep of [true, false]) {
          const answer = await person.call(
            "GET",
            `${inScope(from)}/${plural}?limit=1000${deep ? "&deep=true" : ""}`,
          );
          if (answer.status >= 400) {
            expect([403, 404], `${answer.status}`).toContain(answer.status);
            expect(visibleIn(plural, scopes, from, deep), `${scopes} ${plural} in "${from}"`).toEqual([]);
            continue;
          }
          const found = (answer.body as Page).items
            .map(({ metadata }) => `${metadata.scope}/${metadata.name}`)
            .sort();
          expect(found, `${scopes} ${plural} ${deep ? "deep " : ""}in "${from}"`).toEqual(
            visibleIn(plural, scopes, from, deep),
          );
        }
  }
});

const levelOf: Record<string, number> = { organizations: 1, projects: 2, workspaces: 3 };

/** What is there of a kind, in or below a scope, of which a grant holds at it, above it, or (for scopes) below it. */
function visibleIn(plural: string, grants: readonly string[], from: string, deep: boolean): string[] {
  const within = (outer: string, inner: string) =>
    outer === "" || outer === inner || inner.startsWith(`${outer}/`);
  const level = levelOf[plural];
  const opens = level !== undefined;
  const all = opens
    ? tree.filter((scope) => scope !== "" && scope.split("/").length === level)
    : tree.slice(1).map((scope) => `${scope}/ci`);
  const parent = (path: string) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "");
  return all
    .filter((path) => (deep ? within(from, parent(path)) : parent(path) === from))
    .filter((path) =>
      grants.some((grant) =>
        opens ? within(grant, path) || within(path, grant) : within(grant, parent(path)),
      ),
    )
    .map((path) => (parent(path) === "" ? `/${path}` : path))
    .sort();
}
