import type { AuditRecord } from "@reeve/model/audit";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { behindProxy, done, newProgram, newUser } from "./testing-people.ts";

/** Two organizations in which something was done. */
async function busyServer(): Promise<TestServer> {
  const server = await testServer({ settings: behindProxy });
  for (const organization of ["acme", "zeta"]) {
    await done(server.call("PUT", `/organizations/${organization}`, { body: {} }));
    for (const project of ["blog", "shop"])
      await done(server.call("PUT", `/organizations/${organization}/projects/${project}`, { body: {} }));
  }
  await done(
    server.call("PUT", "/organizations/acme/projects/shop/serviceaccounts/ci", {
      body: { spec: { description: "one" } },
    }),
  );
  return server;
}

const sealed = (server: TestServer) =>
  expect
    .poll(async () => {
      const [row] = await server.database.query<{ left: number }>(
        "select count(*)::int as left from audit where revision > (select revision from audit_sealed)",
      );
      return row?.left;
    })
    .toBe(0);

const what = ({ operation, kind, scope, name }: AuditRecord) => `${operation} ${kind} ${scope}/${name}`;

test("records tell what was there before and after, for what is made, changed, acted upon and deleted", async () => {
  const server = await busyServer();
  const path = "/organizations/acme/projects/shop/serviceaccounts/ci";
  await done(server.call("PATCH", path, { body: { spec: { description: "two" } } }));
  await done(server.call("DELETE", path));
  const { body } = await server.call("GET", "/audit?kind=ServiceAccount&name=ci");
  const [deleted, patched, made] = body.items;
  expect(made.detail.changes).toMatchObject([{ pointer: "", after: { spec: { description: "one" } } }]);
  expect(patched.detail.changes).toEqual([{ pointer: "/spec/description", before: "one", after: "two" }]);
  expect(deleted.detail.changes).toMatchObject([{ pointer: "", before: { spec: { description: "two" } } }]);
  expect(deleted).toMatchObject({
    subject: "user:ada",
    operation: "delete",
    outcome: "done",
    address: "127.0.0.1",
  });
  expect(deleted.via).toMatch(/^session:/);
  expect(deleted.uid).toBe(made.uid);
});

test("every filter narrows, and pages come newest first, each record once", async () => {
  const server = await busyServer();
  const nobody = await newUser(server, "nobody");
  await nobody.call("GET", "/organizations/acme");
  const read = async (query: string): Promise<AuditRecord[]> =>
    (await done(server.call("GET", `/audit?${query}`))).body.items;
  const all = await read("limit=1000");
  expect(all.map((one) => one.revision)).toEqual(all.map((one) => one.revision).sort((a, b) => b - a));
  const expected = (fits: (one: AuditRecord) => boolean) => all.filter(fits).map(what);
  const middle = all[Math.floor(all.length / 2)]?.at ?? "";
  const checks: [string, (one: AuditRecord) => boolean][] = [
    ["subject=user:nobody", (one) => one.subject === "user:nobody"],
    ["outcome=denied", (one) => one.outcome === "denied"],
    ["operation=setup", (one) => one.operation === "setup"],
    ["kind=Project&name=shop", (one) => one.kind === "Project" && one.name === "shop"],
    ["scope=zeta", (one) => one.organization === "zeta"],
    [
      "scope=acme/shop",
      (one) =>
        one.scope === "acme/shop" || (one.kind === "Project" && one.scope === "acme" && one.name === "shop"),
    ],
    [`since=${middle}`, (one) => one.at >= middle],
    [`until=${middle}`, (one) => one.at < middle],
    ["since=2100-01-01T00:00:00Z", () => false],
    ["until=2000-01-01T00:00:00Z", () => false],
  ];
  for (const [query, fits] of checks) expect((await read(query)).map(what), query).toEqual(expected(fits));
  const paged: AuditRecord[] = [];
  for (let from: string | undefined = ""; from !== undefined; ) {
    const { body } = await done(server.call("GET", `/audit?limit=3${from && `&continue=${from}`}`));
    paged.push(...body.items);
    from = body.continue;
  }
  expect(paged.slice(-all.length)).toEqual(all);
});

test("the revisions that a restore leaves out cost readers nothing", async () => {
  const server = await busyServer();
  await sealed(server);
  await server.database.query(
    `insert into audit (revision, at, organization, subject, via, address, request_id, operation, outcome, kind, scope, name, uid,
       reason, detail)
     select revision + 1000000000, now(), organization, subject, via, address, request_id, 'after', outcome, kind, scope, name, uid,
       reason, detail from audit order by revision desc limit 1`,
  );
  const first = (await done(server.call("GET", "/audit"))).body;
  const second = (await done(server.call("GET", `/audit?continue=${first.continue}`))).body;
  expect([first.items.length, first.items[0].operation]).toEqual([1, "after"]);
  expect(second.items.at(-1).operation).toBe("setup");
  expect(second.continue).toBeUndefined();
  const lines = String((await done(server.call("GET", "/audit/export"))).body)
    .trimEnd()
    .split("\n");
  expect(lines.length).toBe(second.items.length + 1);
});

test("a query that is written wrongly is refused by name", async () => {
  const server = await testServer();
  for (const query of [
    "colour=red",
    "since=yesterday",
    "outcome=maybe",
    "limit=0",
    "continue=x",
    "scope=A",
    "subject=a&subject=b",
  ]) {
    const answer = await server.call("GET", `/audit?${query}`);
    expect([query, answer.status]).toEqual([query, 422]);
    expect(answer.body.detail).toContain(query.split("=")[0] === "scope" ? "scope" : query.split("=")[0]);
  }
  expect((await server.call("GET", "/audit/export?format=xml")).status).toBe(422);
});

test("an organization's auditor reads, exports and proves their own records and no others", async () => {
  const server = await busyServer();
  const auditor = await newUser(server, "audrey", [{ role: "auditor", scope: "acme" }]);
  const viewer = await newUser(server, "victor", [{ role: "viewer", scope: "acme" }]);
  await sealed(server);
  const records = (await done(auditor.call("GET", "/audit"))).body.items as AuditRecord[];
  expect(records.length).toBeGreaterThan(3);
  expect(new Set(records.map((one) => one.organization))).toEqual(new Set(["acme"]));
  const lines = String((await done(auditor.call("GET", "/audit/export"))).body)
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line).revision)).toEqual(
    records.map((one) => one.revision).reverse(),
  );
  for (const path of ["/audit/heads", "/audit/verify"]) {
    const { body } = await done(auditor.call(path.endsWith("verify") ? "POST" : "GET", path));
    expect(body.items.map((one: AuditRecord) => one.organization)).toEqual(["acme"]);
  }
  expect((await auditor.call("GET", "/audit?scope=zeta")).status).toBe(404);
  expect((await auditor.call("GET", "/audit?scope=never-was")).status).toBe(404);
  expect((await auditor.call("POST", "/audit/verify", { body: { organization: "zeta" } })).status).toBe(404);
  expect((await viewer.call("GET", "/audit?scope=acme")).status).toBe(403);
  const refusals = (await done(server.call("GET", "/audit?kind=Audit&outcome=denied"))).body.items;
  expect(refusals.map((one: AuditRecord) => [one.subject, one.operation])).toEqual([
    ["user:victor", "list"],
    ["user:audrey", "verify"],
    ["user:audrey", "list"],
    ["user:audrey", "list"],
  ]);
});

test("an export as Common Event Format keeps to its lines, whatever a record holds", async () => {
  const server = await testServer();
  const reason = encodeURIComponent("a|b=c\\d\nCEF:0|x");
  await done(server.call("PUT", `/organizations/acme/projects/p?reason=${reason}`, { body: {} }));
  const answer = await done(server.call("GET", "/audit/export?format=cef&kind=Project"));
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const [line, ...more] = String(answer.body).trimEnd().split("\n");
  expect(more).toEqual([]);
  expect(line).toMatch(
    /^CEF:0\|Reeve\|Reeve\|test\|apply\|apply Project\|3\|rt=\d+ externalId=\d+ suser=user:ada /,
  );
  expect(line).toContain("reason=a|b\\=c\\\\d\\nCEF:0|x request=acme/p ");
});

test("what the server has sealed it proves, and tells at which revision somebody has changed it", async () => {
  const server = await busyServer();
  await sealed(server);
  const before = (await done(server.call("POST", "/audit/verify"))).body;
  expect(before.intact).toBe(true);
  expect(before.items.map((one: { organization: string }) => one.organization)).toEqual(["", "acme", "zeta"]);
  const [{ revision }] = (await done(server.call("GET", "/audit?kind=Project&name=blog&scope=acme"))).body
    .items;
  await server.database.query("update audit set subject = 'user:eve' where revision = $1", [revision]);
  const after = (await done(server.call("POST", "/audit/verify"))).body;
  expect(after.intact).toBe(false);
  expect(after.items.flatMap((one: { findings: object[] }) => one.findings)).toMatchObject([
    { organization: "acme", revision, what: "changed" },
  ]);
});

test("a credential that is turned away is recorded without it, and a flood of them in part", async () => {
  const server = await testServer({ settings: behindProxy });
  const secret = "reeve_t_this-is-no-credential-of-anybody";
  const send = (headers: Record<string, string>) =>
    server.call("POST", "/apply", { token: null, body: { resources: [] }, headers });
  const from = (last: number) => ({ "x-forwarded-for": `10.1.1.${last}` });
  expect((await send({ ...from(1), authorization: `Bearer ${secret}` })).status).toBe(401);
  expect((await send({ ...from(2), authorization: `Basic ${secret}` })).status).toBe(401);
  expect((await send({ ...from(3), cookie: `reeve=${secret}`, "sec-fetch-site": "cross-site" })).status).toBe(
    403,
  );
  const recorded = async () =>
    (await done(server.call("GET", "/audit?operation=authenticate&limit=1000"))).body.items;
  expect(
    (await recorded()).map((one: AuditRecord) => [one.address, one.name, one.outcome, one.subject]),
  ).toEqual([
    ["10.1.1.3", "cookie", "denied", "anonymous"],
    ["10.1.1.2", "bearer", "denied", "anonymous"],
    ["10.1.1.1", "bearer", "denied", "anonymous"],
  ]);
  for (let turn = 0; turn < 30; turn++) await send({ ...from(4), authorization: `Bearer ${secret}` });
  for (let turn = 5; turn < 105; turn++) await send({ ...from(turn), authorization: `Bearer ${secret}` });
  const items: AuditRecord[] = await recorded();
  expect(items.filter((one) => one.address === "10.1.1.4")).toHaveLength(10);
  expect(items).toHaveLength(60);
  const rows = await server.database.query("select a::text as row from audit a");
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test("signing in and out, and failing to, is recorded with the address and the session", async () => {
  const server = await testServer({ settings: behindProxy });
  const headers = { "x-forwarded-for": "10.2.2.2" };
  const attempt = (password: string) =>
    server.call("POST", "/sessions", { token: null, headers, body: { user: "ada", password } });
  await attempt("wrong wrong wrong");
  const { body } = await done(attempt("correct horse battery"));
  await done(server.call("DELETE", "/sessions/current", { token: body.token, headers }));
  const items: AuditRecord[] = (await done(server.call("GET", "/audit"))).body.items;
  expect(
    items.filter((one) => one.address === "10.2.2.2").map((one) => [one.operation, one.outcome, one.subject]),
  ).toEqual([
    ["sign-out", "done", "user:ada"],
    ["sign-in", "done", "user:ada"],
    ["sign-in", "denied", "anonymous"],
  ]);
});

test("programs are recorded by their token", async () => {
  const server = await busyServer();
  const program = await newProgram(server, "acme", "robot", [{ role: "editor", scope: "acme" }]);
  await done(program.call("PUT", "/organizations/acme/projects/made-by-robot", { body: {} }));
  const [record] = (await done(server.call("GET", "/audit?name=made-by-robot"))).body.items;
  expect(record).toMatchObject({ subject: "serviceaccount:acme/robot", operation: "apply" });
  const { body: token } = await server.call("GET", "/organizations/acme/tokens/robot");
  expect(record.via).toBe(`token:${token.metadata.uid}`);
});
