import fc from "fast-check";
import { expect, test } from "vitest";
import { registry } from "./areas.ts";
import { type Answer, type TestServer, testServer } from "./testing.ts";
import { newUser } from "./testing-people.ts";

const names = ["acme", "shop", "prod", "ci", "bob", "x"];
const oddText = fc.string({ maxLength: 20, unit: "binary" });

/** Mostly the usual: too much oddity at once is refused before it reaches anything. */
function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

const parameter = fc.tuple(
  mostly(
    fc.constantFrom("labels", "fields", "limit", "continue", "deep", "dryRun", "reason", "force", "before"),
    oddText.map(encode),
  ),
  mostly(
    fc.constantFrom("true", "1", "a=b", "a in (b,c)", "!a", "spec.disabled=false", "metadata.name!=x", ""),
    oddText.map(encode),
  ),
);
const query = mostly(fc.constant<[string, string][]>([]), fc.array(parameter, { maxLength: 3 })).map(
  (list) => (list.length === 0 ? "" : `?${list.map(([name, value]) => `${name}=${value}`).join("&")}`),
);
const headers = mostly(
  fc.constant<Record<string, string>>({}),
  fc.dictionary(
    fc.constantFrom("if-match", "if-none-match", "idempotency-key", "x-request-id", "cookie", "accept"),
    fc.constantFrom('"1"', "*", "abc", "reeve=x", "text/event-stream", "k-1", "5"),
    { maxKeys: 2 },
  ),
);

const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    "reeve/v1",
    "ServiceAccount",
    "acme",
    "acme/shop",
    "User",
    "owner",
    "a/b",
    "",
    null,
    true,
    -1,
  ),
  oddText,
  fc.double(),
  fc.integer(),
);
const key = mostly(
  fc.constantFrom(
    "apiVersion",
    "kind",
    "metadata",
    "spec",
    "name",
    "scope",
    "labels",
    "owner",
    "subject",
    "resources",
    "password",
  ),
  fc.string({ maxLength: 10 }),
);
const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 6 }),
  ),
}));

const subject = fc.record(
  { kind: fc.constantFrom("User", "ServiceAccount"), name: fc.constantFrom(...names), scope: leaf },
  { requiredKeys: ["kind", "name"] },
);
const spec = mostly<unknown>(
  fc.constantFrom<unknown>({}, { description: "words" }, { disabled: true }, { displayName: "x" }),
  fc.record(
    { subject, role: fc.constantFrom("owner", "viewer", "none"), description: leaf, expiresAt: leaf },
    { requiredKeys: [] },
  ),
);
const metadata = fc.record(
  {
    name: fc.constantFrom(...names),
    labels: mostly<unknown>(fc.constant({ a: "b" }), anyJson),
    annotations: anyJson,
    owner: anyJson,
    finalizers: mostly<unknown>(fc.constant(["a/b"]), anyJson),
    paused: leaf,
  },
  { requiredKeys: [] },
);
/** Close to a real manifest: each part is there or not, right or random. */
const manifest = fc.record(
  {
    spec: mostly<unknown>(spec, anyJson),
    metadata: mostly<unknown>(metadata, anyJson),
    kind: leaf,
    apiVersion: leaf,
  },
  { requiredKeys: [] },
);
const whole = fc.record({
  apiVersion: fc.constant("reeve/v1"),
  kind: fc.constantFrom(...registry.kinds.map((kind) => kind.name)),
  metadata: fc.record({ scope: fc.constantFrom("", "acme", "acme/shop"), name: fc.constantFrom(...names) }),
  spec,
});
const body = fc.oneof(
  { weight: 4, arbitrary: spec.map((one) => JSON.stringify({ spec: one })) },
  { weight: 3, arbitrary: manifest.map((one) => JSON.stringify(one)) },
  {
    weight: 2,
    arbitrary: fc
      .array(mostly<unknown>(whole, anyJson), { maxLength: 4 })
      .map((resources) => JSON.stringify({ resources })),
  },
  { weight: 1, arbitrary: fc.constantFrom('{"generation":1}', '{"password":"a long enough one"}', "{}") },
  { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value) ?? "") },
  { weight: 1, arbitrary: oddText },
);

interface Request {
  readonly route: readonly [method: string, path: string];
  readonly query: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly who: string;
}

test("no request to any route, however odd, is answered with 5xx or not at all", {
  timeout: 120_000,
}, async () => {
  const server = await testServer();
  const routes = await everyRoute(server);
  expect(routes.length).toBeGreaterThan(100);
  // Made again before each run: some of what is sent deletes them.
  const fixtures = ["", "/projects/shop", "/projects/shop/serviceaccounts/ci"].map(
    (rest) => `/organizations/acme${rest}`,
  );
  const { token: editor } = await newUser(server, "ed", [{ role: "editor", scope: "acme" }]);
  const tokens: Record<string, string | null> = { owner: server.owner, editor, anonymous: null };
  const seen = new Map<number, number>();
  const route = mostly(
    fc.constantFrom(...routes),
    fc.tuple(
      fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE"),
      fc
        .array(mostly(fc.constantFrom("api", "v1", "users", ...names), oddText.map(encode)), { maxLength: 6 })
        .map((parts) => `/${parts.join("/")}`),
    ),
  );
  const request = fc.record({
    route,
    query,
    headers,
    body,
    who: mostly(fc.constant("owner"), fc.constantFrom("editor", "anonymous")),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 5, maxLength: 10 }), async (requests) => {
      for (const fixture of fixtures) await server.call("PUT", fixture, { body: {} });
      const answers = await Promise.all(requests.map((one) => send(server, one, tokens[one.who] ?? null)));
      for (const [index, answer] of answers.entries()) {
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        const told = JSON.stringify([requests[index], answer.body]);
        // Who asks what only an agent knows, of a Host that was made a moment ago and has none, is told so.
        const away = answer.status === 503 && answer.body.detail === "the host's agent is not connected";
        if (!away) expect(answer.status, told).toBeLessThan(500);
        if (answer.status >= 400)
          expect(answer.headers.get("content-type"), told).toMatch(/^application\/problem\+json/);
      }
    }),
    { numRuns: 200, endOnFailure: true },
  );
  // A fuzzer that is refused at the door proves nothing: a good part must have got through.
  for (const status of [200, 404, 422])
    expect(seen.get(status) ?? 0, `${status} in ${JSON.stringify([...seen])}`).toBeGreaterThan(30);
  expect((await server.call("GET", "/whoami")).status).toBe(200);
  expect((await server.call("GET", "/readyz")).body.ready).toBe(true);
});

/** Every route of the API's own description, with names that are there and names that are not. */
async function everyRoute(server: TestServer): Promise<[string, string][]> {
  const { paths } = (await server.call("GET", "/openapi.json")).body as { paths: Record<string, object> };
  const filled: Record<string, string> = {
    organization: "acme",
    project: "shop",
    workspace: "prod",
    name: "ci",
    topic: "lane",
    id: "none",
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [
      method.toUpperCase(),
      path.replaceAll(/\{(\w+)\}/g, (_, word: string) => filled[word] ?? "x"),
    ]),
  );
}

function send(
  server: TestServer,
  { route: [method, path], query: asked, headers: extra, body: rawBody }: Request,
  token: string | null,
): Promise<Answer> {
  // Ending one's session, or the organization that everything else is about, would end the fuzzing.
  if (method === "DELETE" && /sessions\/current$|(acme|shop|prod)$/.test(path))
    return server.call("GET", "/whoami");
  const own = path.startsWith("/api/v1/")
    ? path.slice("/api/v1".length)
    : path.startsWith("/api")
      ? "/none"
      : path;
  return server.call(method, `${own}${asked}`, {
    token,
    headers: extra,
    ...(method === "GET" || method === "DELETE" ? {} : { rawBody }),
  });
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
