import fc from "fast-check";
import { expect, test } from "vitest";
import { registry } from "./areas.ts";
import { type Answer, type TestServer, testServer } from "./testing.ts";
import { newUser } from "./testing-people.ts";

/** Words that lead somewhere, so that random addresses get past the first check; and some that never should. */
const words = [
  ...registry.kinds.map((kind) => kind.plural),
  "acme",
  "shop",
  "prod",
  "ci",
  "bob",
  "history",
  "events",
  "why",
  "diff",
  "rollback",
  "actions",
  "issue",
  "set-password",
  "apply",
  "kinds",
  "server",
  "debug",
  "lane",
  "leases",
  "reconcilers",
  "links",
  "whoami",
  "can-i",
  "sessions",
  "setup",
  "..",
  "%2e",
  "constructor",
  "__proto__",
];
const segment = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20, unit: "binary" }).map(encodeAny) },
);
const likelyPath = fc.constantFrom(
  "/organizations/acme",
  "/organizations/acme/projects",
  "/organizations/acme/projects/shop",
  "/organizations/acme/projects/shop/serviceaccounts/ci",
  "/organizations/acme/serviceaccounts",
  "/organizations/acme/rolebindings/rb",
  "/organizations/acme/tokens/t",
  "/users/bob",
  "/tokens",
  "/apply",
  "/can-i",
);
const tail = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", "/history", "/events", "/why", "/diff", "/actions/issue") },
  {
    weight: 1,
    arbitrary: fc.array(segment, { maxLength: 3 }).map((parts) => parts.map((part) => `/${part}`).join("")),
  },
);
const path = fc.oneof(
  fc.tuple(likelyPath, tail).map(([head, rest]) => head + rest),
  fc.array(segment, { minLength: 1, maxLength: 8 }).map((parts) => `/${parts.join("/")}`),
);
const parameter = fc.tuple(
  fc.oneof(
    fc.constantFrom(
      "labels",
      "fields",
      "limit",
      "continue",
      "deep",
      "since",
      "dryRun",
      "reason",
      "force",
      "before",
    ),
    fc.string({ maxLength: 10 }).map(encodeAny),
  ),
  fc.oneof(
    fc.constantFrom(
      "true",
      "false",
      "1",
      "a=b",
      "a in (b,c)",
      "!a",
      "spec.disabled=false",
      "metadata.name!=x",
      "",
    ),
    fc.string({ maxLength: 30, unit: "binary" }).map(encodeAny),
  ),
);
const query = sometimes(fc.array(parameter, { maxLength: 3 }), []).map((list) =>
  list.length === 0 ? "" : `?${list.map(([name, value]) => `${name}=${value}`).join("&")}`,
);

const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    "reeve/v1",
    "ServiceAccount",
    "RoleBinding",
    "Token",
    "Project",
    "acme",
    "acme/shop",
    "ci",
    "bob",
    "User",
    "owner",
    "viewer",
    "a/b",
    "read",
    "",
    null,
    true,
    0,
    -1,
    1e300,
  ),
  fc.string({ maxLength: 20, unit: "binary" }),
  fc.double(),
  fc.integer(),
);
const key = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "apiVersion",
      "kind",
      "metadata",
      "spec",
      "status",
      "name",
      "scope",
      "uid",
      "labels",
      "annotations",
      "finalizers",
      "owner",
      "paused",
      "subject",
      "role",
      "disabled",
      "description",
      "expiresAt",
      "resources",
      "generation",
      "password",
      "current",
      "verb",
      "user",
      "token",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 10 }) },
);
const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 6 }),
  ),
}));
/** Close to a real manifest: each part is there or not, right or random. */
const manifest = fc.record(
  {
    apiVersion: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>("reeve/v1") }, leaf),
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<unknown>(...registry.kinds.map((kind) => kind.name)) },
      leaf,
    ),
    metadata: fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record(
          {
            scope: fc.constantFrom("", "acme", "acme/shop"),
            name: fc.constantFrom("ci", "rb", "t", "bob", "x"),
            labels: anyJson,
            owner: anyJson,
            finalizers: anyJson,
            paused: leaf,
          },
          { requiredKeys: ["scope", "name"] },
        ) as fc.Arbitrary<unknown>,
      },
      anyJson,
    ),
    spec: fc.oneof(
      fc.record(
        {
          subject: fc.record(
            {
              kind: fc.constantFrom("User", "ServiceAccount"),
              name: fc.constantFrom("ci", "bob"),
              scope: leaf,
            },
            { requiredKeys: ["kind"] },
          ),
          role: fc.constantFrom("owner", "viewer", "nothing"),
          description: leaf,
          disabled: leaf,
          expiresAt: leaf,
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<unknown>,
      anyJson,
    ),
  },
  { requiredKeys: [] },
);
const headers = sometimes(
  fc.dictionary(
    fc.constantFrom(
      "if-match",
      "if-none-match",
      "idempotency-key",
      "last-event-id",
      "x-request-id",
      "accept",
      "cookie",
      "sec-fetch-site",
    ),
    fc.constantFrom('"1"', "*", "abc", "reeve=x", "text/event-stream", "same-origin", "k-1", "5"),
    { maxKeys: 2 },
  ),
  {},
);
/** A body that fits most addresses, with something random in it at most. */
const fitting = fc
  .record({
    spec: fc.constantFrom<unknown>({}, { description: "words" }, { disabled: true }, { displayName: "x" }),
    more: sometimes(anyJson, null),
  })
  .map(({ spec, more }) =>
    JSON.stringify(more === null ? { spec } : { spec, metadata: { annotations: more } }),
  );
const body = fc.oneof(
  { weight: 4, arbitrary: fitting },
  { weight: 4, arbitrary: manifest.map((value) => JSON.stringify(value)) },
  {
    weight: 1,
    arbitrary: fc.array(manifest, { maxLength: 4 }).map((resources) => JSON.stringify({ resources })),
  },
  { weight: 3, arbitrary: anyJson.map((value) => JSON.stringify(value) ?? "") },
  { weight: 1, arbitrary: fc.string({ maxLength: 50, unit: "binary" }) },
);
const request = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE"),
  path,
  query,
  body,
  headers,
  who: fc.constantFrom("owner", "editor", "anonymous"),
});

test("no request, however odd, is answered with 5xx or not at all", { timeout: 120_000 }, async () => {
  const server = await testServer();
  // Made again before each run: some of what is sent deletes them.
  const fixtures = ["", "/projects/shop", "/projects/shop/serviceaccounts/ci"].map(
    (rest) => `/organizations/acme${rest}`,
  );
  const { token: editor } = await newUser(server, "ed", [{ role: "editor", scope: "acme" }]);
  const tokens: Record<string, string | null> = { owner: server.owner, editor, anonymous: null };
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), async (requests) => {
      for (const fixture of fixtures) await server.call("PUT", fixture, { body: {} });
      const answers = await Promise.all(requests.map((one) => send(server, one, tokens[one.who] ?? null)));
      for (const [index, answer] of answers.entries()) {
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        expect(answer.status, JSON.stringify([requests[index], answer.body])).toBeLessThan(500);
        if (answer.status >= 400)
          expect(answer.headers.get("content-type"), JSON.stringify(requests[index])).toMatch(
            /^application\/problem\+json/,
          );
      }
    }),
    { numRuns: 250, endOnFailure: true },
  );
  console.log([...seen]);
  // A fuzzer that is refused at the door proves nothing: some of it must have got through.
  expect(seen.get(200) ?? 0).toBeGreaterThan(20);
  expect(seen.get(422) ?? 0).toBeGreaterThan(20);
  expect((await server.call("GET", "/whoami")).status).toBe(200);
  expect((await server.call("GET", "/readyz")).body.ready).toBe(true);
});

async function send(
  server: TestServer,
  one: typeof request extends fc.Arbitrary<infer R> ? R : never,
  token: string | null,
): Promise<Answer> {
  const { method, path: where, query: asked, body: rawBody, headers: extra } = one;
  // Ending the session one fuzzes with would end the fuzzing.
  const address = method === "DELETE" && where.startsWith("/sessions") ? "/sessions/none" : where;
  const options = { token, headers: extra, ...(method === "GET" || method === "DELETE" ? {} : { rawBody }) };
  return server.call(method, `${address}${asked}`, options);
}

/** Mostly nothing of it: too much oddity at once is refused before it reaches anything. */
function sometimes<T>(arbitrary: fc.Arbitrary<T>, usually: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usually) }, { weight: 1, arbitrary });
}

function encodeAny(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
