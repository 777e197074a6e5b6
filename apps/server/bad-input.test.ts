import { connect } from "node:net";
import type { JsonObject } from "@reeve/model";
import { beforeAll, expect, test } from "vitest";
import { registry } from "./areas.ts";
import { baseOf, type Case, unknownFields, wrongFields, wrongMetadata } from "./bad-input-cases.ts";
import { type Answer, type CallOptions, callApi, type TestServer, testServer } from "./testing.ts";
import { behindProxy, done, newUser, setPassword, signIn } from "./testing-people.ts";

const shop = "/organizations/acme/projects/shop";
const account = `${shop}/serviceaccounts/ci`;

/** A server with something in it that bad input could damage. */
async function start(): Promise<TestServer> {
  const server = await testServer({ settings: behindProxy });
  await done(server.call("PUT", shop, { body: { metadata: { labels: { team: "web" } } } }));
  await done(server.call("PUT", `${shop}/workspaces/prod`, { body: {} }));
  await done(server.call("PUT", account, { body: { spec: { description: "one" } } }));
  await done(server.call("PUT", account, { body: { spec: { description: "two" } } }));
  await newUser(server, "bob");
  return server;
}

/** YAML that is read on the server, inside a JSON body: small to send, and endless to unfold, nest or repeat. */
test("YAML within a spec is refused by its file when it is a bomb, too deep, no YAML, or says something twice", async () => {
  const server = await start();
  const laughs = Array.from({ length: 12 }, (_, at) => {
    const below =
      at === 0
        ? "[ha, ha]"
        : `[${Array(9)
            .fill(`*a${at - 1}`)
            .join(", ")}]`;
    return `x-a${at}: &a${at} ${below}`;
  });
  const files = {
    "an alias bomb": [...laughs, "services: { web: { image: web, labels: *a11 } }"].join("\n"),
    "an alias of itself": "services: &s { web: { image: web, x-more: *s } }",
    "deep lists": `services: { web: { image: web, command: ${"[".repeat(20_000)}${"]".repeat(20_000)} } }`,
    "a key twice": "services: { web: { image: web } }\nservices: { db: { image: db } }",
    "half a document": "services: { web: ",
    "a tag that makes things": "services: !!js/function 'function () { return 1 }'",
    "two documents": "services: { web: { image: web } }\n---\nservices: { db: { image: db } }",
  };
  const { path, spec } = baseOf("Service");
  const cases = Object.entries(files).map(([what, text]): Bad => {
    const body = { spec: { ...spec, files: { "compose.yaml": text } } };
    return { what, method: "PUT", path, status: 422, pointer: "/spec/files/compose.yaml", options: { body } };
  });
  expect(await refused(server, cases)).toEqual([]);
});

interface Bad {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly options?: CallOptions;
  /** The one status it must have, where 4xx alone would not be enough. */
  readonly status?: number;
  /** The field that must be named. */
  readonly pointer?: string;
}

/** Sends what is bad and says what is wrong with the answers; nothing may be left behind by any of it. */
async function refused(server: TestServer, cases: readonly Bad[]): Promise<string[]> {
  const before = await traces(server);
  const wrong: string[] = [];
  for (const bad of cases) {
    const answer = await server.call(bad.method, bad.path, bad.options);
    wrong.push(...answerErrors(bad, answer).map((error) => `${bad.what}: ${error}`));
  }
  const after = await traces(server);
  if (JSON.stringify(after) !== JSON.stringify(before))
    wrong.push(`left traces: ${JSON.stringify(before)} became ${JSON.stringify(after)}`);
  return wrong;
}

function answerErrors({ status, pointer }: Bad, { status: found, body, headers }: Answer): string[] {
  if (found < 400 || found >= 500 || (status !== undefined && found !== status))
    return [`${found} ${JSON.stringify(body).slice(0, 300)}, expected ${status ?? "4xx"}`];
  if (!/^application\/problem\+json/.test(headers.get("content-type") ?? ""))
    return [`answered as ${headers.get("content-type")}`];
  const pointers: string[] = (body.errors ?? []).map((error: { pointer: string }) => error.pointer);
  const errors: string[] = [];
  if (typeof body.detail !== "string" || body.detail === "") errors.push("no detail");
  if (body.status !== found) errors.push(`says ${body.status} but is ${found}`);
  if (!body.next && pointers.length === 0) errors.push(`neither next nor a pointer: ${body.detail}`);
  if (pointer !== undefined && !pointers.includes(pointer))
    errors.push(`points to ${JSON.stringify(pointers)}, expected ${pointer}`);
  if (JSON.stringify(body).length > 20_000) errors.push("the answer is as long as the request");
  return errors;
}

/** Everything a refused request could have left: rows of any table, other than records of denials, the chain they are sealed into, and our own clocks. */
async function traces(server: TestServer): Promise<Record<string, unknown>> {
  const tables = await server.database.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('lane_mark', 'bucket', 'replica', 'revision') and tablename not like 'audit%' order by 1",
  );
  const counts: Record<string, unknown> = {};
  for (const { name } of tables)
    counts[name] = (
      await server.database.query<{ count: number }>(`select count(*) as count from ${name}`)
    )[0]?.count;
  const [row] = await server.database.query<{ rows: string; done: number }>(
    "select (select md5(string_agg(uid::text || revision::text || updated_at::text, ',' order by uid)) from resource) as rows, (select count(*) from audit where outcome = 'done') as done",
  );
  return { ...counts, ...row };
}

function put(what: string, body: unknown, more: Partial<Bad> = {}): Bad {
  return { what, method: "PUT", path: `${shop}/serviceaccounts/new`, options: { body }, ...more };
}

function putRaw(what: string, rawBody: string | Uint8Array, more: Partial<Bad> = {}): Bad {
  return { what, method: "PUT", path: `${shop}/serviceaccounts/new`, options: { rawBody }, ...more };
}

function asked(what: string, path: string, more: Partial<Bad> = {}): Bad {
  return { what: `${what}: ${path.slice(0, 100)}`, method: "GET", path, ...more };
}

let schemas: Record<string, JsonObject>;
beforeAll(() => {
  schemas = Object.fromEntries(
    registry.kinds.map((kind) => [kind.name, kind.spec.toJSONSchema({ io: "input" }) as JsonObject]),
  );
});

test("a wrong type in any field of any kind is refused by the name of the field", async () => {
  const server = await start();
  for (const kind of registry.kinds) {
    const base = baseOf(kind.name);
    await done(server.call("PUT", `${base.path}?dryRun=true`, { body: { spec: base.spec } }));
    const send = ({ spec, pointer, what }: Case): Bad => ({
      what: `${kind.name} ${what}`,
      method: "PUT",
      path: base.path,
      options: { body: { spec } },
      status: 422,
      pointer,
    });
    const cases = [
      ...wrongFields(schemas[kind.name] as JsonObject, base.spec),
      ...unknownFields(schemas[kind.name] as JsonObject, base.spec),
    ];
    expect(cases.length).toBeGreaterThan(5);
    expect(await refused(server, cases.map(send))).toEqual([]);
  }
});

test("wrong and unknown metadata is refused by the name of the field, in PUT, POST, PATCH, diff and bulk", async () => {
  const server = await start();
  const cases = wrongMetadata.flatMap(({ metadata, pointer, what }): Bad[] => [
    put(`PUT ${what}`, { metadata }, { pointer, status: 422 }),
    {
      what: `POST ${what}`,
      method: "POST",
      path: `${shop}/serviceaccounts`,
      options: { body: { metadata: { name: "new", ...metadata } } },
      pointer,
      status: 422,
    },
    {
      what: `diff ${what}`,
      method: "POST",
      path: `${account}/diff`,
      options: { body: { metadata } },
      pointer,
      status: 422,
    },
    // In a patch, null is no wrong type: it removes.
    ...(JSON.stringify(metadata).includes("null")
      ? []
      : [
          {
            what: `PATCH ${what}`,
            method: "PATCH",
            path: account,
            options: { body: { metadata } },
            pointer,
            status: 422,
          },
        ]),
  ]);
  expect(await refused(server, cases)).toEqual([]);
  const resources = wrongMetadata.map(({ metadata }) => ({
    apiVersion: "reeve/v1",
    kind: "ServiceAccount",
    metadata: { scope: "acme/shop", name: "new", ...metadata },
  }));
  const before = await traces(server);
  const { body, status } = await server.call("POST", "/apply", { body: { resources } });
  expect(status).toBe(200);
  expect(body.results.map((one: { problem?: { status: number } }) => one.problem?.status)).toEqual(
    resources.map(() => 422),
  );
  expect(await traces(server)).toEqual(before);
});

test("an action's input is checked like a spec", async () => {
  const server = await start();
  const path = "/users/bob/actions/set-password";
  const inputs = [
    {},
    { password: 1 },
    { password: null },
    { password: "short" },
    { password: "x".repeat(1025) },
    { password: "long enough to be one", extra: 1 },
    { password: "long enough to be one", current: 1 },
    [],
    "text",
    1,
  ];
  const cases = inputs.map(
    (body): Bad => ({
      what: `set-password ${JSON.stringify(body).slice(0, 60)}`,
      method: "POST",
      path,
      options: { body },
      status: 422,
    }),
  );
  expect(
    await refused(server, [
      ...cases,
      ...["nothing", "constructor", "__proto__", "toString", "set_password", "Issue", "%2e"].map(
        (action): Bad => ({
          what: `action ${action}`,
          method: "POST",
          path: `/users/bob/actions/${action}`,
          options: { body: {} },
          status: 404,
        }),
      ),
      ...[
        {},
        { generation: 0 },
        { generation: 1.5 },
        { generation: "1" },
        { generation: 1e300 },
        { generation: 1, more: 1 },
        null,
        [],
      ].map(
        (body): Bad => ({
          what: `rollback ${JSON.stringify(body)}`,
          method: "POST",
          path: `${account}/rollback`,
          options: { body },
          status: 422,
        }),
      ),
      {
        what: "rollback to what never was",
        method: "POST",
        path: `${account}/rollback`,
        options: { body: { generation: 99 } },
        status: 412,
      },
    ]),
  ).toEqual([]);
});

test("a body that cannot be read is refused before anything looks into it", async () => {
  const server = await start();
  const deep = (open: string, close: string, levels: number) =>
    `${open.repeat(levels)}1${close.repeat(levels)}`;
  const json = (content: string) => ({ headers: { "content-type": content } });
  expect(
    await refused(server, [
      putRaw("empty", "", { status: 422 }),
      putRaw("truncated", '{"spec":{"description":"x"', { status: 400 }),
      putRaw("two documents", "{}{}", { status: 400 }),
      putRaw("not JSON", "spec: {}", { status: 400 }),
      putRaw("a trailing comma", '{"spec":{},}', { status: 400 }),
      putRaw("NaN", '{"spec":{"description":NaN}}', { status: 400 }),
      putRaw("invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), { status: 400 }),
      putRaw(
        "overlong UTF-8",
        Buffer.concat([
          Buffer.from('{"spec":{"description":"'),
          Buffer.from([0xc0, 0xaf]),
          Buffer.from('"}}'),
        ]),
        { status: 400 },
      ),
      putRaw("a byte order mark and rubbish", "\ufeff{]", { status: 400 }),
      putRaw("UTF-16", Buffer.from('{"spec":{}}', "utf16le"), { status: 400 }),
      putRaw("a lone surrogate", '{"spec":{"description":"\\ud800"}}', {
        status: 422,
        pointer: "/spec/description",
      }),
      putRaw("a lone surrogate in a key", '{"spec":{"\\udfff":1}}', { status: 422 }),
      putRaw("NUL", '{"spec":{"description":"a\\u0000b"}}', { status: 422, pointer: "/spec/description" }),
      putRaw("NUL in a label's key", '{"metadata":{"labels":{"a\\u0000":"b"}}}', { status: 422 }),
      putRaw("a number beyond doubles", '{"metadata":{"generation":1e999}}', {
        status: 422,
        pointer: "/metadata/generation",
      }),
      putRaw("__proto__", '{"__proto__":{"admin":true}}', { status: 400 }),
      putRaw("__proto__ below", '{"spec":{"__proto__":{"disabled":true}}}', { status: 400 }),
      putRaw("__proto__, escaped", '{"spec":{"__pr\\u006fto__":{}}}', { status: 400 }),
      putRaw("constructor.prototype", '{"constructor":{"prototype":{"admin":true}}}', { status: 400 }),
      putRaw("constructor", '{"spec":{"constructor":1}}', { status: 422, pointer: "/spec/constructor" }),
      putRaw("a key twice", '{"spec":{"disabled":true,"disabled":false}}', {
        status: 400,
        pointer: "/spec/disabled",
      }),
      putRaw("a key twice, escaped", '{"spec":{"disabled":true,"dis\\u0061bled":false}}', {
        status: 400,
        pointer: "/spec/disabled",
      }),
      putRaw("kind twice", '{"kind":"ServiceAccount","kind":"User"}', { status: 400, pointer: "/kind" }),
      putRaw("arrays 10,000 deep", deep("[", "]", 10_000), { status: 422 }),
      putRaw("objects 10,000 deep", deep('{"a":', "}", 10_000), { status: 422 }),
      putRaw("a spec 10,000 deep", `{"spec":${deep('{"a":', "}", 10_000)}}`, { status: 422 }),
      putRaw("a kind 100,000 deep", `{"kind":${deep("[", "]", 100_000)}}`, { status: 422, pointer: "/kind" }),
      putRaw("a name 100,000 deep", `{"metadata":{"name":${deep("[", "]", 100_000)}}}`, {
        status: 422,
        pointer: "/metadata/name",
      }),
      putRaw("a spec 60 deep", `{"spec":${deep('{"a":', "}", 60)}}`, { status: 422 }),
      putRaw("10 MB", JSON.stringify({ spec: { description: "x".repeat(10_000_000) } }), { status: 413 }),
      putRaw("10 MB of nothing", " ".repeat(10_000_000), { status: 413 }),
      putRaw("an array", "[]", { status: 422 }),
      putRaw("null", "null", { status: 422 }),
      putRaw("a string", '"ServiceAccount"', { status: 422 }),
      putRaw("a number", "1", { status: 422 }),
      ...[
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/yaml",
        "application/jsonp",
        "application/json-patch+json",
        "application/merge-patch+json-no",
        "rubbish",
        ";",
        "application",
      ].map((type) =>
        putRaw(`content type ${type}`, "{}", { status: 400, options: { rawBody: "{}", ...json(type) } }),
      ),
      {
        what: "a patch 100,000 deep",
        method: "PATCH",
        path: account,
        options: { rawBody: deep('{"spec":', "}", 100_000) },
        status: 422,
      },
      {
        what: "a patch with a deep array",
        method: "PATCH",
        path: account,
        options: { rawBody: `{"spec":{"description":${deep("[", "]", 50_000)}}}` },
        status: 422,
      },
      ...[
        "[]",
        "null",
        "1",
        '"x"',
        '{"status":{}}',
        '{"bogus":1}',
        '{"metadata":null}',
        '{"metadata":[]}',
        '{"spec":"x"}',
      ].map(
        (rawBody): Bad => ({
          what: `patch ${rawBody}`,
          method: "PATCH",
          path: account,
          options: { rawBody },
          status: 422,
        }),
      ),
    ]),
  ).toEqual([]);
});

test("names that are unsafe in a path, a file, a shell or DNS are refused wherever they stand", async () => {
  const server = await start();
  const names = [
    "..",
    ".",
    "../x",
    "a/../b",
    "a b",
    "a;rm",
    "$(id)",
    "`id`",
    "-rf",
    "a-",
    "A",
    "Ab",
    "ä",
    "а",
    "a_b",
    "a.b",
    "a\nb",
    "a\tb",
    "",
    " ",
    "a".repeat(64),
    "a".repeat(5000),
    "a\u200b",
    "'",
    '"',
    "<x>",
    "%00",
    "\ud83d\ude00",
  ];
  const bodies = names.flatMap((name): Bad[] => [
    {
      what: `POST name ${JSON.stringify(name).slice(0, 40)}`,
      method: "POST",
      path: `${shop}/serviceaccounts`,
      options: { body: { metadata: { name } } },
      status: 422,
      pointer: "/metadata/name",
    },
    put(
      `subject name ${JSON.stringify(name).slice(0, 40)}`,
      { spec: { role: "viewer", subject: { kind: "User", name } } },
      { path: `${shop}/rolebindings/new`, status: 422, pointer: "/spec/subject/name" },
    ),
    ...(name === ""
      ? []
      : [
          put(
            `subject scope ${JSON.stringify(name).slice(0, 40)}`,
            { spec: { role: "viewer", subject: { kind: "ServiceAccount", name: "ci", scope: name } } },
            { path: `${shop}/rolebindings/new`, status: 422, pointer: "/spec/subject/scope" },
          ),
        ]),
  ]);
  // What fetch would normalise away before it is sent stays out of addresses here; sockets below send it as it is.
  const addressed = names.filter((name) => !["", ".", "..", " "].includes(name));
  const paths = addressed.flatMap((name) => [
    asked("item", `${shop}/serviceaccounts/${encodeURIComponent(name)}`),
    asked("scope", `/organizations/${encodeURIComponent(name)}/projects`),
  ]);
  expect(await refused(server, [...bodies, ...paths])).toEqual([]);
});

test("an address has one spelling: percent-encoded slashes, dots and letters lead nowhere", async () => {
  const server = await start();
  const before = await traces(server);
  const paths = [
    "/api/v1/organizations%2Facme/projects",
    "/api/v1/organizations/acme%2fprojects",
    "/api/v1/organizations/acme%2Fprojects%2Fshop",
    "/api/v1/organizations/%61cme",
    "/api/v1/organizations/acme/..%2f..%2fusers",
    "/api/v1/organizations/%2e%2e/users",
    "/api/v1/organizations/../users",
    "/api/v1//organizations",
    "/api/v1/organizations//acme",
    "/api/v1/organizations/acme/",
    "/api/v1/organizations/acme\\projects",
    "/api/v1/%6frganizations",
    "/api/v1/organizations/acme%00",
    "/api/v1/organizations/%zz",
    "/api/v1/organizations/%",
    "/api/v1/organizations/%ff",
    "/api/v1/organizations/acme;x=1",
    "/api/v1/organizations/acme%3Fdeep=true",
    "/api/v1/organizations/acme%23",
    "/API/v1/organizations",
    "/api/v1/Organizations",
    "/%61pi/v1/organizations",
    "/api/v1/organizations/acme/projects/shop/history/1",
    "/api/v1",
    "/api/v1/",
    "/api/v2/organizations",
    "/api/v1/organizations/acme/users",
    "/api/v1/projects",
    "/api/v1/organizations/acme/projects/shop/nothing",
  ];
  const wrong: string[] = [];
  for (const path of paths)
    for (const method of ["GET", "PUT", "DELETE"]) {
      const { status, head } = await raw(
        server,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.owner}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      );
      if (status < 400 || status >= 500 || !/application\/problem\+json/i.test(head))
        wrong.push(`${method} ${path}: ${status}`);
    }
  expect(wrong).toEqual([]);
  expect(await traces(server)).toEqual(before);
});

test("labels and annotations have limits", async () => {
  const server = await start();
  const many = Object.fromEntries([...Array(1000)].map((_, index) => [`l${index}`, "x"]));
  const bad: [string, object, string][] = [
    ["1,000 labels", { labels: many }, "/metadata/labels"],
    ["a long value", { labels: { a: "x".repeat(64) } }, "/metadata/labels/a"],
    ["a huge value", { labels: { a: "x".repeat(1_000_000) } }, "/metadata/labels/a"],
    ["a huge key", { labels: { ["k".repeat(1000)]: "v" } }, `/metadata/labels/${"k".repeat(1000)}`],
    ["an empty key", { labels: { "": "v" } }, "/metadata/labels/"],
    ["a key with a space", { labels: { "a b": "v" } }, "/metadata/labels/a b"],
    ["two prefixes", { labels: { "a/b/c": "v" } }, "/metadata/labels/a~1b~1c"],
    ["a value with a space", { labels: { a: "b c" } }, "/metadata/labels/a"],
    ["a value with a comma", { labels: { a: "b,c" } }, "/metadata/labels/a"],
    ["1 MB of annotation", { annotations: { a: "x".repeat(1_000_000) } }, "/metadata/annotations"],
    [
      "annotations that are too many together",
      { annotations: Object.fromEntries([...Array(70)].map((_, index) => [`a${index}`, "x".repeat(1000)])) },
      "/metadata/annotations",
    ],
    [
      "21 finalizers",
      { finalizers: [...Array(21)].map((_, index) => `a/f${index}`) },
      "/metadata/finalizers",
    ],
    ["a huge finalizer", { finalizers: [`a/${"f".repeat(100_000)}`] }, "/metadata/finalizers/0"],
  ];
  const cases = bad.flatMap(([what, metadata, pointer]): Bad[] => [
    put(what, { metadata }, { status: 422, pointer }),
    {
      what: `patch: ${what}`,
      method: "PATCH",
      path: account,
      options: { body: { metadata } },
      status: 422,
      pointer,
    },
  ]);
  expect(await refused(server, cases)).toEqual([]);
});

test("queries that cannot be read, or are not known, are refused by name", async () => {
  const server = await start();
  const list = `${shop}/serviceaccounts`;
  const { body } = await server.call("GET", "/rolebindings?deep=true&limit=1");
  const page = JSON.parse(Buffer.from(body.continue ?? "", "base64url").toString() || "{}");
  const token = (change: unknown) =>
    Buffer.from(typeof change === "string" ? change : JSON.stringify(change)).toString("base64url");
  const tokens = [
    "",
    "x",
    "!!!!",
    "%00",
    token("{"),
    token("null"),
    token([]),
    token({}),
    token({ r: 1 }),
    token({ r: "1", s: "", n: "a" }),
    token({ r: -1, s: "", n: "a" }),
    token({ r: 1.5, s: "", n: "a" }),
    token({ r: 1e15, s: "", n: "a" }),
    token({ r: 1, s: "../..", n: "a" }),
    token({ r: 1, s: "", n: ["a"] }),
    token({ r: 1, s: ["acme"], n: "a" }),
    token({ r: 1, s: "", n: "a\u0000" }),
    token({ r: 1, s: "", n: "' or 1=1 --" }),
    token({ ...page, n: "A" }),
  ];
  expect(
    await refused(server, [
      ...tokens.map((value) =>
        asked("continue", `${list}?continue=${encodeURIComponent(value)}`, { status: 422 }),
      ),
      ...["0", "-1", "1001", "1.5", "1e2", "abc", "", "0x10", "99999999999999999999", " 5", "5 ", "+5"].map(
        (value) =>
          asked("limit", `${list}?limit=${encodeURIComponent(value)}`, { status: 422, pointer: "?limit" }),
      ),
      ...[
        "(",
        ")",
        "a=b=c",
        "a in",
        "a in (",
        "a in b",
        "a notin (b))",
        "=",
        "=a",
        "!",
        "!=a",
        ",",
        "a,,b",
        "a,",
        ",a",
        "a b",
        "a=b c",
        "a ! b",
        "in (a)",
        "x".repeat(5000),
        "a\u0000",
      ].map((value) => asked("labels", `${list}?labels=${encodeURIComponent(value)}`, { status: 422 })),
      ...[
        "spec.secret=1",
        "bogus",
        "metadata.uid=1",
        "spec=1",
        "spec.disabled",
        "__proto__=1",
        "constructor=1",
        "status.x=1",
      ]
        .filter((one) => one !== "spec.disabled")
        .map((value) => asked("fields", `${list}?fields=${encodeURIComponent(value)}`, { status: 422 })),
      ...["deep", "watch"].flatMap((name) =>
        ["1", "yes", "TRUE", "null"].map((value) =>
          asked(name, `${list}?${name}=${value}`, { status: 422, pointer: `?${name}` }),
        ),
      ),
      ...[
        "limit=5&limit=5",
        "labels=a&labels=b",
        "deep=true&deep=true",
        "continue=a&continue=b",
        "watch=true&watch=true",
      ].map((query) => asked("repeated", `${list}?${query}`, { status: 422 })),
      ...[
        "label=a",
        "Labels=a",
        "limits=1",
        "x",
        "__proto__=1",
        "constructor=1",
        "toString",
        "dryRun=true",
        "force=true",
        "since=1",
        "watch=true&limit=5",
        "watch=true&continue=x",
        "[]=1",
        "=1",
        "%00=1",
      ].map((query) => asked("unknown", `${list}?${query}`, { status: 422 })),
      ...["-1", "abc", "1.5", "", "1e3", "99999999999999999"].map((since) =>
        asked("since", `${list}?watch=true&since=${since}`, { status: 422, pointer: "?since" }),
      ),
      asked("since beyond the counter", `${list}?watch=true&since=999999999`, { status: 410 }),
      asked("a bad last id", `${list}?watch=true`, {
        status: 422,
        options: { headers: { "last-event-id": "abc" } },
      }),
      ...[
        "dryRun=maybe",
        "dryRun=true&dryRun=true",
        "dryrun=true",
        "force=true",
        "reason=a&reason=b",
        `reason=${"x".repeat(501)}`,
        "reason=%00",
        "deep=true",
        "__proto__=1",
      ].flatMap((query) => [
        put(`PUT ?${query.slice(0, 30)}`, {}, { path: `${list}/new?${query}`, status: 422 }),
        {
          what: `PATCH ?${query.slice(0, 30)}`,
          method: "PATCH",
          path: `${account}?${query}`,
          options: { body: {} },
          status: 422,
        },
        {
          what: `apply ?${query.slice(0, 30)}`,
          method: "POST",
          path: `/apply?${query}`,
          options: { body: { resources: [{}] } },
          status: 422,
        },
      ]),
      ...["force=maybe", "force=true&force=true", "deep=true"].map(
        (query): Bad => ({
          what: `DELETE ?${query}`,
          method: "DELETE",
          path: `${account}?${query}`,
          status: 422,
        }),
      ),
      ...["limit=0", "limit=1001", "before=0", "before=x", "after=1"].map((query) =>
        asked("history", `${account}/history?${query}`, { status: 422 }),
      ),
      ...["", "/history", "/events", "/why"].map((path) =>
        asked("unknown on an item", `${account}${path}?bogus=1`, { status: 422 }),
      ),
    ]),
  ).toEqual([]);
});

test("conditions that cannot be read are refused, never ignored", async () => {
  const server = await start();
  const withHeader = (name: string, value: string): Bad[] => [
    put(
      `PUT ${name}: ${value.slice(0, 30)}`,
      {},
      { status: 422, options: { body: {}, headers: { [name]: value } } },
    ),
    {
      what: `PATCH ${name}: ${value.slice(0, 30)}`,
      method: "PATCH",
      path: account,
      options: { body: { spec: { description: "three" } }, headers: { [name]: value } },
      status: 422,
    },
    {
      what: `DELETE ${name}: ${value.slice(0, 30)}`,
      method: "DELETE",
      path: account,
      options: { headers: { [name]: value } },
      status: 422,
    },
  ];
  expect(
    await refused(server, [
      ...["abc", '""', '"abc"', 'W/"5"', "*", "-1", '"1","2"', "1e3", "99999999999999999999", ""].flatMap(
        (value) => withHeader("if-match", value),
      ),
      ...['"5"', "abc", '"*"', ""].flatMap((value) => withHeader("if-none-match", value)),
      ...["", "a b", "x".repeat(201), "\u00e9", "a\tb"].flatMap((value) =>
        withHeader("idempotency-key", value),
      ),
      {
        what: "a revision of the future",
        method: "DELETE",
        path: account,
        options: { headers: { "if-match": '"999999"' } },
        status: 409,
      },
      {
        what: "a revision of the past",
        method: "PATCH",
        path: account,
        options: { body: { spec: { description: "x" } }, headers: { "if-match": '"1"' } },
        status: 409,
      },
      put(
        "If-Match on what is not there",
        {},
        { status: 409, options: { body: {}, headers: { "if-match": '"1"' } } },
      ),
      put(
        "If-None-Match on what is there",
        {},
        { path: account, status: 409, options: { body: {}, headers: { "if-none-match": "*" } } },
      ),
    ]),
  ).toEqual([]);
});

test("a body or a patch that contradicts the address is refused", async () => {
  const server = await start();
  const { body: read } = await server.call("GET", account);
  const contradictions: [object, string][] = [
    [{ kind: "User" }, "/kind"],
    [{ kind: "serviceaccount" }, "/kind"],
    [{ metadata: { name: "other" } }, "/metadata/name"],
    [{ metadata: { scope: "acme" } }, "/metadata/scope"],
    [{ metadata: { scope: "" } }, "/metadata/scope"],
    [{ metadata: { scope: "acme/shop/prod" } }, "/metadata/scope"],
    [{ apiVersion: "reeve/v2" }, "/apiVersion"],
    [{ apiVersion: "v1" }, "/apiVersion"],
  ];
  expect(
    await refused(server, [
      ...contradictions.flatMap(([body, pointer]): Bad[] => [
        put(`PUT ${JSON.stringify(body)}`, body, { path: account, status: 422, pointer }),
        {
          what: `PATCH ${JSON.stringify(body)}`,
          method: "PATCH",
          path: account,
          options: { body },
          status: 422,
        },
        {
          what: `diff ${JSON.stringify(body)}`,
          method: "POST",
          path: `${account}/diff`,
          options: { body },
          status: 422,
          pointer,
        },
      ]),
      put(
        "another uid",
        { ...read, metadata: { ...read.metadata, uid: "0198c5b2-0000-7000-8000-000000000000" } },
        { path: account, status: 409 },
      ),
      {
        what: "patch of the uid",
        method: "PATCH",
        path: account,
        options: { body: { metadata: { uid: "0198c5b2-0000-7000-8000-000000000000" } } },
        status: 409,
      },
      {
        what: "patch of kind to null",
        method: "PATCH",
        path: account,
        options: { body: { kind: null } },
        status: 422,
      },
      {
        what: "patch of name to null",
        method: "PATCH",
        path: account,
        options: { body: { metadata: { name: null } } },
        status: 422,
      },
      {
        what: "patch of what is not there",
        method: "PATCH",
        path: `${shop}/serviceaccounts/none`,
        options: { body: {} },
        status: 404,
      },
      {
        what: "delete of what is not there",
        method: "DELETE",
        path: `${shop}/serviceaccounts/none`,
        status: 404,
      },
      put(
        "a scope that is not there",
        {},
        { path: "/organizations/acme/projects/none/serviceaccounts/x", status: 404 },
      ),
      put(
        "an owner that is not there",
        { metadata: { owner: { kind: "ServiceAccount", name: "none" } } },
        { status: 422, pointer: "/metadata/owner" },
      ),
      put(
        "an owner of no kind",
        { metadata: { owner: { kind: "Nothing", name: "none" } } },
        { status: 422, pointer: "/metadata/owner" },
      ),
      put(
        "itself as owner",
        { metadata: { owner: { kind: "ServiceAccount", name: "ci" } } },
        { path: account, status: 422, pointer: "/metadata/owner" },
      ),
      {
        what: "create of what is there",
        method: "POST",
        path: `${shop}/serviceaccounts`,
        options: { body: { metadata: { name: "ci" } } },
        status: 409,
      },
      {
        what: "a token that lives apart from its subject",
        method: "PUT",
        path: "/organizations/acme/tokens/new",
        options: { body: { spec: { subject: { kind: "ServiceAccount", name: "ci", scope: "acme/shop" } } } },
        status: 422,
        pointer: "/metadata/scope",
      },
    ]),
  ).toEqual([]);
});

test("bulk apply refuses what is not a list of at most 1000, and judges good and bad items apart", async () => {
  const server = await start();
  const item = (name: unknown, more: object = {}) => ({
    apiVersion: "reeve/v1",
    kind: "ServiceAccount",
    metadata: { scope: "acme/shop", name },
    ...more,
  });
  const apply = (what: string, body: unknown): Bad => ({
    what,
    method: "POST",
    path: "/apply",
    options: { body },
    status: 422,
  });
  expect(
    await refused(server, [
      apply("1,001 items", { resources: [...Array(1001)].map((_, index) => item(`x${index}`)) }),
      apply("no items", { resources: [] }),
      apply("an object", { resources: {} }),
      apply("nothing", {}),
      apply("an array", [item("x")]),
      apply("an unknown field", { resources: [item("x")], more: 1 }),
      { what: "empty", method: "POST", path: "/apply", status: 422 },
    ]),
  ).toEqual([]);
  const bad: unknown[] = [
    null,
    1,
    "x",
    [],
    {},
    item("Bad"),
    item("a", { kind: "Nothing" }),
    item("a", { spec: { bogus: 1 } }),
    { ...item("a"), apiVersion: "v9" },
    item("a", { spec: { description: "a\u0000" } }),
    item("a", { spec: { description: "\ud800" } }),
    JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`),
  ];
  const resources = bad.flatMap((one, index) => [item(`good${index}`), one]);
  const { status, body } = await server.call("POST", "/apply", { body: { resources } });
  expect(status).toBe(200);
  const outcomes = body.results.map(
    (one: { outcome?: string; problem?: { status: number } }) => one.outcome ?? one.problem?.status,
  );
  expect(outcomes).toEqual(bad.flatMap(() => ["created", 422]));
  expect((await server.call("GET", `${shop}/serviceaccounts`)).body.items).toHaveLength(bad.length + 1);
});

test("a cookie that came from another site changes nothing", async () => {
  const server = await start();
  await setPassword(server, "bob");
  await signIn(server, "bob");
  const signedIn = await callApi(server.url, "POST", "/sessions", {
    headers: { "x-forwarded-for": "10.5.5.5" },
    body: { user: "ada", password: "correct horse battery", carry: "cookie" },
  });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] as string;
  expect(signedIn.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Lax/);
  const forged: Record<string, string>[] = [
    {},
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: server.url.replace("http:", "https:") },
  ];
  const cases = forged.flatMap((headers): Bad[] => [
    put(
      `PUT ${JSON.stringify(headers)}`,
      {},
      { status: 403, options: { token: null, body: {}, headers: { cookie, ...headers } } },
    ),
    {
      what: `DELETE ${JSON.stringify(headers)}`,
      method: "DELETE",
      path: account,
      status: 403,
      options: { token: null, headers: { cookie, ...headers } },
    },
    {
      what: `apply ${JSON.stringify(headers)}`,
      method: "POST",
      path: "/apply",
      status: 403,
      options: { token: null, body: { resources: [{}] }, headers: { cookie, ...headers } },
    },
  ]);
  expect(await refused(server, cases)).toEqual([]);
  const own = { cookie, "sec-fetch-site": "same-origin" };
  expect((await server.call("GET", account, { token: null, headers: { cookie } })).status).toBe(200);
  expect(
    (
      await server.call("PATCH", account, {
        token: null,
        headers: own,
        body: { spec: { description: "mine" } },
      })
    ).status,
  ).toBe(200);
});

test("rubbish in headers is refused or ignored, and the server goes on", async () => {
  const server = await start();
  const credentials = [
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "Basic YWRhOng=",
    "bearer x",
    "Bearer reeve_s_",
    "Bearer reeve_t_x",
    `Bearer ${"x".repeat(5000)}`,
    "Bearer \u00e9",
    `${server.owner}`,
    "Bearer '; drop table resource; --",
  ];
  expect(
    await refused(
      server,
      credentials.map((authorization) =>
        asked(`authorization ${authorization.slice(0, 30)}`, account, {
          status: 401,
          options: { token: null, headers: { authorization } },
        }),
      ),
    ),
  ).toEqual([]);
  const ids = ["", "x", "a b c d e f g h", "<script>alert(1)</script>", "x".repeat(101), "../../etc/passwd"];
  for (const id of ids) {
    const answer = await server.call("GET", account, { headers: { "x-request-id": id } });
    expect([answer.status, answer.headers.get("x-request-id") === id], id).toEqual([200, false]);
  }
  const lines = [
    "GET / HTTP/9.9",
    "GET",
    "\u0000\u0001\u0002",
    "GET /api/v1/organizations HTTP/1.1\r\nHost: x\r\nContent-Length: -5",
    "GET /api/v1/organizations HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5",
    "POST /api/v1/apply HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rubbish",
    `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: x`,
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(100_000)}`,
    "GET / HTTP/1.1",
    "PRI * HTTP/2.0",
  ];
  for (const line of lines) {
    const { status } = await raw(server, `${line}\r\n\r\n`);
    expect(status === 0 || (status >= 400 && status < 500), `${line.slice(0, 60)}: ${status}`).toBe(true);
  }
  expect((await server.call("GET", account)).status).toBe(200);
});

/** Sends exactly these bytes; 0 when the connection was closed without an answer. */
function raw(server: TestServer, bytes: string): Promise<{ status: number; head: string }> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () =>
      socket.write(Buffer.from(bytes, "utf8")),
    );
    const end = () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 0), head: heard });
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1");
      if (heard.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("close", end);
    socket.on("error", () => {});
    socket.setTimeout(3000, () => socket.destroy());
  });
}
