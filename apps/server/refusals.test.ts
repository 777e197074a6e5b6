import type { Kind, Scope } from "@reeve/model";
import { expect, test } from "vitest";
import { registry } from "./areas.ts";
import {
  type Asker,
  anybody,
  type Deed,
  type Place,
  partsByHand,
  rolesByHand,
  type Verdict,
  verdictOn,
} from "./refusals-model.ts";
import { routesByHand } from "./refusals-routes.ts";
import { type Answer, type TestServer, testServer } from "./testing.ts";
import { behindProxy, bind, done, inScope, newProgram, newUser } from "./testing-people.ts";

/**
 * Every operation × every role at every level × nobody and anonymous, on what is one's own, on a neighbour's and on
 * another organization's. What to expect is written down in refusals-model.ts, by hand.
 */
test("every operation answers every caller as the table of roles says, and nothing of another organization gets out", {
  timeout: 600_000,
}, async () => {
  const server = await testServer({ settings: behindProxy });
  const world = await makeWorld(server);
  const askers = await makeAskers(server);
  const trials = world.targets.flatMap((target, at) =>
    askers.flatMap((asker, by) =>
      deedsOn(target)
        .map((deed) => ({ target, asker, deed }))
        .filter((trial, turn) => !isStranger(trial) || (at + by + turn) % 4 === 0),
    ),
  );
  expect(trials.length).toBeGreaterThan(5000);
  const wrong: string[] = [];
  // One resource's trials run one after the other, so that they cannot get in each other's way.
  await inParallel(
    24,
    groupBy(trials, ({ target }) => target.id),
    async (group) => {
      for (const trial of group) wrong.push(...(await tryOut(server, world, trial)));
    },
  );
  wrong.push(...(await auditErrors(server)));
  expect(wrong.slice(0, 40)).toEqual([]);
});

test("a new kind or a new route fails these tests until somebody has written down who may use it", async () => {
  for (const kind of registry.kinds)
    for (const role of Object.keys(rolesByHand) as (keyof typeof rolesByHand)[])
      expect(Object.keys(rolesByHand[role]), `${role}: ${kind.plural}`).toContain(kind.plural);
  const server = await testServer();
  const { paths } = (await server.call("GET", "/openapi.json")).body;
  const plurals = registry.kinds.map((kind) => kind.plural);
  // An address of a kind ends in its plural, or has a name in it.
  const others = Object.keys(paths).filter((path) => {
    const [, , , first = "", ...rest] = path.split("/");
    return !plurals.includes(first) || (rest.length > 0 && !path.includes("{"));
  });
  const routes = others.flatMap((path) =>
    Object.keys(paths[path]).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual(Object.keys(routesByHand).sort());
  const ofEveryKind = /^(GET (history|events|why)|POST (diff|rollback|actions\/.*))$/;
  const parts = Object.keys(paths).flatMap((path) => {
    const [, plural = "", part] = /\/([a-z]+)\/\{name\}\/(.+)$/.exec(path) ?? [];
    if (part === undefined || !plurals.includes(plural)) return [];
    const methods = Object.keys(paths[path]).map((method) => `${method.toUpperCase()} ${part}`);
    return methods.filter((one) => !ofEveryKind.test(one)).map((one) => `${plural}: ${one}`);
  });
  const written = Object.entries(partsByHand).flatMap(([plural, of]) =>
    Object.keys(of).map((part) => `${plural}: ${part}`),
  );
  expect([...new Set(parts)].sort()).toEqual(written.sort());
});

test("routes beside the resources answer every caller as written down, and every denial is recorded", async () => {
  const server = await testServer({ settings: behindProxy });
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  await done(server.call("PUT", "/organizations/acme/projects/shop/workspaces/prod", { body: {} }));
  const askers = await makeAskers(server);
  const wrong: string[] = [];
  for (const [route, { who, body, status }] of Object.entries(routesByHand)) {
    const [method, template] = route.split(" ") as [string, string];
    for (const asker of askers) {
      const requestId = nextRequestId();
      const path = template
        .replace("{topic}", "lane")
        .replace("{name}", "nobody")
        .replace("{seq}", "0")
        .replace("{id}", "00000000-0000-7000-8000-000000000000");
      // From behind a proxy: on the machine itself, figures are open to anybody.
      const headers = { "x-request-id": requestId, "x-forwarded-for": `10.9.0.${++routeCalls % 250}` };
      const answer = await callAt(server, method, path, asker, headers, body);
      const isOwner = asker.grant?.role === "owner" && asker.grant.scope === "";
      const audits = asker.grant?.role === "owner" || asker.grant?.role === "auditor";
      const meets =
        who === "signed-in" ||
        (who === "owner" && asker.grant?.role === "owner") ||
        (who === "auditor" && audits) ||
        (who === "auditor of an organization" && audits && !asker.grant?.scope.includes("/")) ||
        (who === "reader of runs" && asker.grant !== undefined && asker.grant.role !== "deployer") ||
        (who === "editor of runs" && ["owner", "editor"].includes(asker.grant?.role ?? "")) ||
        (who === "session" && asker.name !== "program") ||
        (who === "owner of the installation" && isOwner);
      const allowed = who === "anybody" || (asker.token !== null && meets);
      const expected = allowed ? (status ?? 200) : asker.token === null ? 401 : 403;
      if (answer.status !== expected)
        wrong.push(`${asker.name}: ${route}: ${answer.status}, expected ${expected}`);
      if (!allowed) expectDenial.set(requestId, `${asker.name}: ${route}`);
    }
  }
  wrong.push(...(await auditErrors(server)));
  expect(wrong).toEqual([]);
});
let routeCalls = 0;

test("anonymous callers and people without any role learn nothing from lists, watches or bulk apply", async () => {
  const server = await testServer({ settings: behindProxy });
  const world = await makeWorld(server);
  const nobody = await newUser(server, "nobody");
  for (const kind of registry.kinds) {
    const anonymous = await server.call("GET", `/${kind.plural}?deep=true`, { token: null });
    if (kind.levels.includes("installation")) expect(anonymous.status, kind.plural).toBe(401);
    const answer = await nobody.call("GET", `/${kind.plural}?deep=true`);
    if (answer.status === 200)
      expect(
        answer.body.items.map((item: { metadata: { name: string } }) => item.metadata.name),
        kind.plural,
      ).toEqual(kind.name === "User" ? ["nobody"] : []);
    expect(leaks(world, "", answer)).toEqual([]);
  }
});

test("bulk apply judges each item like an apply of its own", async () => {
  const server = await testServer({ settings: behindProxy });
  const world = await makeWorld(server);
  for (const asker of await makeAskers(server)) {
    const resources = world.targets.map((target) => ({
      ...target.manifest,
      metadata: { ...target.manifest.metadata, labels: { by: asker.name } },
    }));
    const answer = await callAt(server, "POST", "/api/v1/apply?dryRun=true", asker, {}, { resources });
    if (asker.token === null) {
      expect(answer.status).toBe(401);
      continue;
    }
    expect(answer.status).toBe(200);
    for (const [index, target] of world.targets.entries()) {
      const { problem } = answer.body.results[index];
      const verdict = verdictOn(asker, {
        deed: "apply",
        kind: target.kind,
        scope: target.scope,
        name: target.name,
      });
      const expected = verdict.kind === "allowed" ? undefined : verdict.kind === "hidden" ? 404 : 403;
      expect(problem?.status, `${asker.name}: ${target.id}`).toBe(expected);
    }
  }
});

interface Target extends Place {
  readonly id: string;
  readonly manifest: { readonly kind: string; readonly metadata: object; readonly spec: object };
  /** Whose it is. Of "other", nothing may ever be seen by those of acme. */
  readonly whose: "own" | "neighbour" | "other";
}

interface World {
  readonly targets: readonly Target[];
  /** Names, uids and labels of the other organization. */
  readonly planted: readonly string[];
}

const own = { organization: "acme", project: "shop", workspace: "prod" };
const neighbour = { organization: "acme", project: "blog", workspace: "live" };
const other = { organization: "zqorg", project: "zqproj", workspace: "zqwork" };

async function makeWorld(server: TestServer): Promise<World> {
  const targets = [own, neighbour, other].flatMap((tree, index) =>
    targetsIn(tree, (["own", "neighbour", "other"] as const)[index] as Target["whose"]),
  );
  const planted = new Set<string>();
  // Subjects before what speaks of them.
  const order = [
    "Organization",
    "Project",
    "Workspace",
    "Quota",
    "User",
    "ServiceAccount",
    "Group",
    "Role",
    "RoleBinding",
    "Invitation",
    "Token",
    "TrustedIssuer",
    "Secret",
    "Connection",
    "Channel",
    "Workflow",
    "Source",
    "Service",
    "Repository",
    "Host",
    "JoinToken",
  ];
  for (const target of [...targets].sort((a, b) => order.indexOf(a.kind.name) - order.indexOf(b.kind.name))) {
    const hidden = target.whose === "other" ? { labels: { zqlabel: `zqvalue-${target.kind.plural}` } } : {};
    const metadata = { ...target.manifest.metadata, ...hidden };
    const { body } = await done(
      server.call("PUT", pathOf(target), { body: { ...target.manifest, metadata } }),
    );
    if (target.kind.name === "Secret")
      await done(server.call("POST", `${pathOf(target)}/actions/set`, { body: actionBodies.set }));
    if (target.whose !== "other") continue;
    for (const word of [target.name, body.metadata.uid, "zqlabel", `zqvalue-${target.kind.plural}`])
      planted.add(word);
  }
  return { targets, planted: [...planted] };
}

/** One resource of each kind at each level of a tree. */
function targetsIn(tree: typeof own, whose: Target["whose"]): Target[] {
  const scopes: Record<string, Scope> = {
    installation: "",
    organization: tree.organization,
    project: `${tree.organization}/${tree.project}`,
    workspace: `${tree.organization}/${tree.project}/${tree.workspace}`,
  };
  return registry.kinds.flatMap((kind) =>
    kind.levels.flatMap((level) => {
      // What lives in the installation belongs to no organization; a neighbour shares the organization.
      if (level === "installation" && kind.name !== "Organization" && whose !== "own") return [];
      if (
        whose === "neighbour" &&
        (kind.name === "Organization" || (level === "organization" && kind.name !== "Project"))
      )
        return [];
      const scope = scopes[level] as Scope;
      const opened = { Organization: tree.organization, Project: tree.project, Workspace: tree.workspace }[
        kind.name
      ];
      const name =
        opened ??
        `${whose === "other" ? "zq" : whose === "own" ? "my" : "nb"}${kind.name.toLowerCase()}${level.slice(0, 2)}`;
      const manifest = {
        apiVersion: "reeve/v1",
        kind: kind.name,
        metadata: { scope, name },
        spec: specOf(kind, scope, whose),
      };
      return [{ id: `${kind.name} ${scope}/${name}`, kind, scope, name, whose, manifest }];
    }),
  );
}

function specOf(kind: Kind, scope: Scope, whose: Target["whose"]): object {
  const level = ["or", "pr", "wo"][scope === "" ? -1 : scope.split("/").length - 1] ?? "";
  const prefix = whose === "other" ? "zq" : whose === "own" ? "my" : "nb";
  const subject =
    scope === ""
      ? { kind: "User", name: "myuserin" }
      : { kind: "ServiceAccount", name: `${prefix}serviceaccount${level}` };
  if (kind.name === "RoleBinding") return { role: "viewer", subject };
  if (kind.name === "Token") return { subject };
  if (kind.name === "Group") return { members: [subject] };
  if (kind.name === "IdentityProvider") return { issuer: "https://id.example", clientId: "reeve" };
  if (kind.name === "TrustedIssuer")
    return {
      issuer: "https://ci.example",
      audience: "reeve",
      rules: [{ claims: { sub: "job" }, serviceAccount: { name: subject.name } }],
    };
  if (kind.name === "Invitation") return { email: "guest@example.com", role: "viewer" };
  if (kind.name === "Role") return { allows: ["projects:read"] };
  if (kind.name === "Quota") return { limits: { resources: 1_000_000 } };
  if (kind.name === "Connection") return { type: "smtp", host: "mail.example.com" };
  if (kind.name === "Source") return { git: { url: "git://127.0.0.1:1/flows.git" }, every: "1d" };
  if (kind.name === "Repository") return { git: { url: "git://127.0.0.1:1/apps.git" }, every: "1d" };
  if (kind.name === "Service")
    return { files: { "compose.yaml": "services: { web: { image: web } }" }, hosts: { names: ["nowhere"] } };
  if (kind.name === "Channel")
    return { type: "email", host: "mail.example.com", from: "reeve@example.com", to: ["ops@example.com"] };
  if (kind.name === "Workflow")
    return {
      steps: [{ name: "nap", wait: "1s" }],
      schedules: [{ name: "yearly", cron: "@yearly", paused: true }],
    };
  return {};
}

/** Every role at every level, a custom role, one that is held through a group; a program; somebody without any role. */
async function makeAskers(server: TestServer): Promise<Asker[]> {
  await done(
    server.call("PUT", "/roles/deployer", { body: { spec: { allows: listOf(rolesByHand.deployer) } } }),
  );
  const builtin = ["", "acme", "acme/shop", "acme/shop/prod"].flatMap((scope) =>
    (["owner", "editor", "viewer", "auditor"] as const).map((role) => ({ role, scope })),
  );
  const custom = ["", "acme/shop"].map((scope) => ({ role: "deployer" as const, scope }));
  const users = [...builtin, ...custom].map(async (grant): Promise<Asker> => {
    const name = `${grant.role}-${grant.scope === "" ? 0 : grant.scope.split("/").length}`;
    return { name, token: (await newUser(server, name, [grant])).token, grant };
  });
  const members = [{ role: "deployer" as const, scope: "acme" }].map(async (grant): Promise<Asker> => {
    const { token } = await newUser(server, "member");
    const spec = { members: [{ kind: "User", name: "member" }] };
    await done(server.call("PUT", "/organizations/acme/groups/mates", { body: { spec } }));
    await bind(server, grant, { kind: "Group", name: "mates" });
    return { name: "member", token, grant };
  });
  const nobody = newUser(server, "nobody").then(({ token }) => ({ name: "nobody", token }));
  const grant = { role: "editor", scope: "acme" } as const;
  const program = newProgram(server, "acme", "program", [grant]).then(({ token }) => ({
    name: "program",
    token,
    grant,
  }));
  return [anybody, ...(await Promise.all([nobody, program, ...users, ...members]))];
}

function listOf(role: Record<string, string>): string[] {
  return Object.entries(role).flatMap(([plural, verbs]) =>
    verbs.split(" ").flatMap((verb) => (verb === "" ? [] : `${plural}:${verb}`)),
  );
}

interface Trial {
  readonly target: Target;
  readonly asker: Asker;
  readonly deed: Deed;
}

/**
 * Most callers are strangers in a neighbour's project and in another organization, and all alike. Each deed on each of those
 * resources is tried by every fourth of them, in turns: every stranger meets every deed and every kind.
 */
function isStranger({ target, asker, deed }: Trial): boolean {
  return (
    target.whose !== "own" && asker.token !== null && verdictOf({ target, asker, deed }).kind === "hidden"
  );
}

function verdictOf({ target: { kind, scope, name }, asker, deed }: Trial): Verdict {
  return verdictOn(asker, { ...deed, kind, scope, name });
}

/** Carries one trial out and says everything that is wrong with the answer. */
async function tryOut(server: TestServer, world: World, trial: Trial): Promise<string[]> {
  const { target, asker, deed } = trial;
  const verdict = verdictOf(trial);
  const requestId = nextRequestId();
  const request = requestFor(deed, target);
  const answer = await callAt(
    server,
    request.method,
    request.path,
    asker,
    { "x-request-id": requestId },
    request.body,
  );
  const at = `${asker.name}: ${deed.deed}${deed.action ? ` ${deed.action}` : ""} on ${target.id}`;
  const wrong = verdictErrors(verdict, answer, deed).map((error) => `${at}: ${error}`);
  if (verdict.kind === "allowed") {
    // What happens on a host is recorded when it begins and when it has ended.
    if (deed.action === "POST prune") expectNothing.delete(requestId);
    else if (request.writes) expectDone.set(requestId, at);
    else expectNothing.set(requestId, at);
  } else expectDenial.set(requestId, at);
  if (asker.grant?.scope !== "")
    wrong.push(
      ...leaks(world, `${request.path} ${JSON.stringify(request.body ?? "")}`, answer).map(
        (leak) => `${at}: leaked ${leak}`,
      ),
    );
  if (verdict.kind === "hidden") {
    const twin = requestFor(deed, missingTwin(target, asker));
    const missing = await callAt(
      server,
      twin.method,
      twin.path,
      asker,
      { "x-request-id": nextRequestId() },
      twin.body,
    );
    const [seen, unseen] = [answer, missing].map((one) => faceOf(one));
    if (seen !== unseen) wrong.push(`${at}: can be told from what is missing:\n  ${seen}\n  ${unseen}`);
  }
  return wrong;
}

/** These need a host with Docker, or a repository that can be written to: whoever may do them hears that there is none. */
const needMore = ["exec", "shell", "deploy", "stop", "start", "restart", "pull", "container", "write"];

function verdictErrors(
  verdict: Verdict,
  { status, body, headers }: Answer,
  { deed, action = "" }: Deed,
): string[] {
  if (verdict.kind === "allowed") {
    // Parts are on hosts, and in repositories that were never fetched: whoever may ask hears so.
    const may = deed === "part" ? ![401, 403, 404].includes(status) : status < 300;
    return may || (status === 412 && needMore.includes(action))
      ? []
      : [`${status} ${body?.detail}, expected to be allowed`];
  }
  const expected = { anonymous: 401, forbidden: 403, hidden: 404 }[verdict.kind];
  if (status !== expected) return [`${status} ${body?.detail ?? ""}, expected ${expected}`];
  if (!/^application\/problem\+json/.test(headers.get("content-type") ?? ""))
    return ["not a problem document"];
  if (verdict.kind === "forbidden" && !body.detail.includes(verdict.says))
    return [`the refusal does not name ${verdict.says}: ${body.detail}`];
  return [];
}

function leaks(world: World, said: string, { body, headers }: Answer): string[] {
  const heard = `${JSON.stringify(body)} ${JSON.stringify([...headers])}`;
  return world.planted.filter((word) => heard.includes(word) && !said.includes(word));
}

/** The same place with names that nobody has given to anything; as long, so that nothing else differs. */
function missingTwin(target: Target, asker: Asker): Target {
  const missing = (name: string) => `0${name.slice(0, -1)}`;
  // Whoever knows the scope is shown another name in it; whoever does not, another scope.
  const known = target.scope === "" || (asker.grant !== undefined && target.scope.split("/")[0] === "acme");
  const scope = known ? target.scope : target.scope.split("/").map(missing).join("/");
  return {
    ...target,
    scope,
    name: missing(target.name),
    manifest: { ...target.manifest, metadata: { scope, name: missing(target.name) } },
  };
}

/** What a caller can see of an answer, without the names and the id of the request. */
function faceOf({ status, body, headers }: Answer): string {
  const shown = [...headers].filter(([name]) => !["date", "x-request-id", "keep-alive"].includes(name));
  const { requestId: _, ...problem } = body ?? {};
  const names = /\b(new-\d+|0?(acme?|shop?|prod?|blog?|live?|zq[a-z]+|nb[a-z]+|my[a-z]+))\b/g;
  return JSON.stringify([status, problem, shown]).replaceAll(names, "NAME");
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** An accepted one leaves exactly one audit row. */
  readonly writes: boolean;
}

function deedsOn({ kind }: Target): Deed[] {
  const plain: Deed["deed"][] = [
    "list",
    "deep list",
    "watch",
    "create",
    "get",
    "apply",
    "patch",
    "delete",
    "diff",
    "history",
    "rollback",
    "events",
    "why",
  ];
  return [
    ...plain.map((deed) => ({ deed })),
    ...Object.keys(kind.actions ?? {}).map((action) => ({ deed: "act" as const, action })),
    ...Object.keys(partsByHand[kind.plural] ?? {}).map((action) => ({ deed: "part" as const, action })),
  ];
}

/** What actions need to be told, where it is something. */
const actionBodies: Readonly<Record<string, object>> = {
  "set-secret": { secret: "a client secret" },
  "set-password": { password: "a long enough password" },
  set: { values: { password: "zq-a-secret-value" } },
  rollback: { version: 1 },
  exec: { command: ["ls"] },
  "trigger-many": { runs: [{}] },
  container: { do: "stop", container: "web-web-1" },
  write: { base: "0".repeat(40), message: "more", files: { a: "b" } },
  backfill: { schedule: "yearly", from: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" },
};

function requestFor({ deed, action }: Deed, target: Target): Request {
  const item = `/api/v1${pathOf(target)}`;
  const collection = item.slice(0, item.lastIndexOf("/"));
  const read = (path: string): Request => ({ method: "GET", path, writes: false });
  switch (deed) {
    case "list":
      return read(collection);
    case "deep list":
      return read(`${collection}?deep=true`);
    case "watch":
      return read(`${collection}?watch=true`);
    case "get":
      return read(item);
    case "history":
    case "events":
    case "why":
      return read(`${item}/${deed}`);
    case "create": {
      const metadata = { ...target.manifest.metadata, name: `new-${++made}` };
      return { method: "POST", path: collection, body: { ...target.manifest, metadata }, writes: true };
    }
    case "apply": {
      const metadata = {
        ...target.manifest.metadata,
        labels: { ...("labels" in target.manifest.metadata ? {} : {}), touched: `n${++made}` },
      };
      return { method: "PUT", path: item, body: { ...target.manifest, metadata }, writes: true };
    }
    case "patch":
      return {
        method: "PATCH",
        path: item,
        body: { metadata: { annotations: { touched: `n${++made}` } } },
        writes: true,
      };
    case "diff":
      return { method: "POST", path: `${item}/diff`, body: target.manifest, writes: false };
    case "delete":
      return { method: "DELETE", path: `${item}?dryRun=true`, writes: false };
    case "rollback":
      return { method: "POST", path: `${item}/rollback?dryRun=true`, body: { generation: 1 }, writes: false };
    case "act":
      return {
        method: "POST",
        path: `${item}/actions/${action}?dryRun=true`,
        body: actionBodies[action as string] ?? {},
        writes: false,
      };
    case "part": {
      const [method = "", part = ""] = (action as string).split(" ");
      const path = `${item}/${part.replace("{compose}", "web")}${part === "file" ? "?path=a" : ""}`;
      return { method, path, writes: false, ...(method === "POST" ? { body: partBody } : {}) };
    }
  }
}
const partBody = { items: [{ kind: "image", id: "web" }] };

/** As many digits from the first to the last, so that no answer is longer for its name. */
let made = 100_000;

function pathOf({ kind, scope, name }: Place): string {
  return `${inScope(scope)}/${kind.plural}/${name}`;
}

/** Calls and reads the whole answer; of a watch, all up to its first pause. */
async function callAt(
  server: TestServer,
  method: string,
  path: string,
  asker: Asker,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> {
  const ending = new AbortController();
  const answer = await fetch(`${server.url}${path}`, {
    method,
    signal: ending.signal,
    headers: {
      ...(asker.token === null ? {} : { authorization: `Bearer ${asker.token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const type = answer.headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream")) {
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: /json\b/.test(type) && text !== "" ? JSON.parse(text) : text,
    };
  }
  let heard = "";
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    heard += Buffer.from(chunk).toString();
    if (heard.includes("event: synced")) break;
  }
  ending.abort();
  return { status: answer.status, headers: answer.headers, body: heard };
}

const expectDenial = new Map<string, string>();
const expectDone = new Map<string, string>();
const expectNothing = new Map<string, string>();
let requests = 0;

function nextRequestId(): string {
  return `trial-${String(++requests).padStart(6, "0")}`;
}

/** One row for each denial and each accepted change, none for anything else. */
async function auditErrors(server: TestServer): Promise<string[]> {
  const rows = await server.database.query<{ id: string; outcomes: string }>(
    "select request_id as id, string_agg(outcome, ',') as outcomes from audit group by request_id",
  );
  const found = new Map(rows.map(({ id, outcomes }) => [id, outcomes]));
  const wrong: string[] = [];
  const check = (expected: Map<string, string>, outcome: string | undefined) => {
    for (const [id, what] of expected)
      if (found.get(id) !== outcome)
        wrong.push(`${what}: audited ${found.get(id) ?? "not at all"}, expected ${outcome ?? "nothing"}`);
    expected.clear();
  };
  check(expectDenial, "denied");
  check(expectDone, "done");
  check(expectNothing, undefined);
  return wrong;
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): T[][] {
  return [...Map.groupBy(items, key).values()];
}

async function inParallel<T>(
  width: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all([...Array(width)].map(worker));
}

test("each accepted change leaves exactly one record with its author and reason, what changes nothing leaves none, and no record holds a secret", async () => {
  const server = await testServer({ settings: behindProxy });
  const world = await makeWorld(server);
  const wrong: string[] = [];
  const ask = async (method: string, path: string, records: number, body?: unknown) => {
    const requestId = nextRequestId();
    const headers = { "x-request-id": requestId };
    const address = `${path}${path.includes("?") ? "&" : "?"}reason=because`;
    const answer = await server.call(method, address, { headers, ...(body === undefined ? {} : { body }) });
    const rows = await server.database.query<{ subject: string; reason: string; outcome: string }>(
      "select subject, reason, outcome from audit where request_id = $1",
      [requestId],
    );
    const expected = Array(records).fill({ subject: "user:ada", reason: "because", outcome: "done" });
    if (answer.status >= 300 || JSON.stringify(rows) !== JSON.stringify(expected))
      wrong.push(`${method} ${path}: ${answer.status}, recorded ${JSON.stringify(rows)}`);
    return answer;
  };
  // Contents before what holds them.
  for (const target of [...world.targets].filter(({ whose }) => whose === "own").reverse()) {
    const path = pathOf(target);
    const labels = { a: "b" };
    await ask("PUT", path, 1, { spec: target.manifest.spec, metadata: { labels } });
    await ask("PUT", path, 0, { spec: target.manifest.spec, metadata: { labels } });
    await ask("PATCH", path, 1, { metadata: { labels: { a: null } } });
    await ask("PATCH", path, 0, {});
    await ask("POST", `${path}/rollback`, 0, { generation: 1 });
    await ask("PUT", `${path}?dryRun=true`, 0, { spec: target.manifest.spec, metadata: { labels } });
    if (target.kind.name === "User")
      await ask("POST", `${path}/actions/set-password`, 1, { password: "zq-a-secret-password" });
    if (target.kind.name === "Token" && target.scope !== "")
      await ask("POST", `${path}/actions/issue`, 1, {});
    if (target.kind.name === "Token") await ask("DELETE", path, 1);
  }
  expect(wrong).toEqual([]);
  const rows = await server.database.query("select a::text as row from audit a");
  expect(JSON.stringify(rows)).not.toMatch(/zq-a-secret|reeve_[st]_/);
});
