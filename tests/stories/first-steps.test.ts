import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApi, password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli, type Said } from "../harness/cli.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/**
 * What a new user does in the first ten minutes, through the real command line against a real server on its
 * embedded database. One story: each test goes on from where the one before has left the world.
 */
const bench = openBench(afterAll);
let server: ServerProcess;
let reeve: Cli;

const team = `apiVersion: reeve/v1
kind: Project
metadata:
  scope: acme
  name: shop
  labels:
    team: web
spec:
  displayName: The shop
---
apiVersion: reeve/v1
kind: Workspace
metadata:
  scope: acme/shop
  name: production
spec:
  description: What customers use.
---
apiVersion: reeve/v1
kind: ServiceAccount
metadata:
  scope: acme/shop
  name: ci
spec:
  description: Deploys from the pipeline.
---
apiVersion: reeve/v1
kind: RoleBinding
metadata:
  scope: acme/shop
  name: ci-views
spec:
  role: viewer
  subject:
    kind: ServiceAccount
    name: ci
`;

beforeAll(async () => {
  server = await startServer(bench);
  reeve = openCli(bench);
});

/** A mistake: its exit code, what is wrong, and what to do next; nothing on stdout for a script to trip over. */
function refused({ code, stdout, stderr }: Said, exit: number, what: RegExp | string, next: RegExp | string) {
  expect(stderr).toMatch(what);
  expect(stderr.split("\n").find((line) => line.startsWith("next: ")) ?? stderr).toMatch(next);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect({ code, stdout }).toEqual({ code: exit, stdout: "" });
}

async function done(args: readonly string[], options?: Parameters<Cli>[1]): Promise<string> {
  const { code, stdout, stderr } = await reeve(args, options);
  expect({ code, stderr: code === 0 ? "" : stderr }, `reeve ${args.join(" ")}`).toEqual({
    code: 0,
    stderr: "",
  });
  return stdout;
}

function write(name: string, text: string): string {
  writeFileSync(join(reeve.home, name), text);
  return name;
}

test("the first start prints a ready line and a setup link, and nothing alarming", () => {
  expect(server.url).toMatch(/^http:\/\/localhost:\d+$/);
  expect(server.setupLink).toMatch(new RegExp(`^${server.url}/setup#reeve_setup_[\\w-]{43}$`));
  expect(server.stdout()).toContain(`npx reeve setup '${server.setupLink}'`);
  expect(server.stderr()).toBe("");
});

describe("before anybody has signed in", () => {
  test("the command line says how to begin", async () => {
    refused(await reeve(["get", "projects"]), 4, "no server is known", "reeve setup LINK");
  });

  test("mistakes at the set-up are named and do not use the link up", async () => {
    const link = server.setupLink ?? "";
    const setup = (user: string, given: string, secret: string) =>
      reeve(["setup", given, "--user", user, "--password-stdin", "--organization", "acme"], {
        stdin: `${secret}\n`,
      });
    refused(await setup("ada", link, "too short"), 3, "/password: use at least 12 characters", "correct");
    refused(await setup("Ada", link, password), 3, "/user: not a valid name: use 1 to 63 lower", "correct");
    refused(await setup("ada", `${server.url}/setup`, password), 2, "not a setup link", "copy it whole");
    refused(await setup("ada", `${link}x`, password), 6, "this setup link is not valid", "--setup-link");
  });

  test("the API tells nobody anything", async () => {
    const api = openApi(server.url);
    for (const path of ["/api/v1/organizations", "/api/v1/kinds", "/api/v1/server", "/api/v1/debug/lane"])
      expect([path, (await api.call("GET", path)).status]).toEqual([path, 401]);
  });
});

test("`reeve setup` makes the first administrator, and the link works only once", async () => {
  const link = server.setupLink ?? "";
  const args = ["setup", link, "--user", "ada", "--password-stdin", "--organization", "acme"];
  const first = await reeve(args, { stdin: `${password}\n` });
  expect(first).toMatchObject({ code: 0, stdout: "" });
  expect(first.stderr).toContain(`signed in to ${server.url} as ada`);
  const eve = ["setup", link, "--user", "eve", "--password-stdin"];
  refused(await reeve(eve, { stdin: `${password}\n` }), 6, "it was used", "sign in");
  const body = { token: link.split("#")[1], user: "eve", password };
  expect((await openApi(server.url).call("POST", "/api/v1/setup", { body })).status).toBe(412);
  expect(await done(["auth", "sessions"])).toMatch(/ this one, reeve on \S/);
  expect(await done(["get", "users", "-o", "name"])).toBe("user/ada\n");
});

test("signing in again: a wrong password is refused, the right one goes on", async () => {
  const login = (secret: string, user = "ada") =>
    reeve(["login", server.url, "--user", user, "--password-stdin"], { stdin: `${secret}\n` });
  const wrong = await login("wrong horse battery");
  refused(wrong, 4, "the name or the password is wrong", "try again");
  expect((await login(password, "nobody")).stderr).toBe(wrong.stderr);
  expect((await login(password)).code).toBe(0);
  expect(await done(["auth", "sessions"])).toMatch(/^[0-9a-f-]{36} +\d+s +\d+s +127\.0\.0\.1 +this one, /m);
  expect(await done(["auth", "whoami"])).toMatch(
    /^user:ada \(by session\)\nROLE +SCOPE +BINDING +GROUP\nowner /,
  );
  expect((await reeve(["context", "set-scope", "acme"])).code).toBe(0);
});

describe("manifests", () => {
  test("a file of several documents is shown, applied, and then unchanged", async () => {
    const file = write("team.yaml", team);
    const before = await reeve(["diff", "-f", file]);
    expect(before.code).toBe(1);
    expect(before.stdout).toContain("+++ project/acme/shop (team.yaml:1:1)");
    expect(await done(["apply", "-f", file, "--dry-run"])).toContain("project/acme/shop created (dry run)\n");
    const names = [
      "project/acme/shop",
      "workspace/acme/shop/production",
      "serviceaccount/acme/shop/ci",
      "rolebinding/acme/shop/ci-views",
    ];
    const lines = (outcome: string) => names.map((name) => `${name} ${outcome}\n`).join("");
    expect(await done(["apply", "-f", file, "--reason", "first steps"])).toBe(lines("created"));
    expect(await done(["apply", "-f", file])).toBe(lines("unchanged"));
    expect(await done(["diff", "-f", file])).toBe("");
  });

  test("mistakes are named with file, line and column, and nothing of a broken file is sent", async () => {
    const bad = write("bad.yaml", `${team}---\nkind: Project\nmetadata:\n  name: [oops\n`);
    refused(await reeve(["apply", "-f", bad]), 3, "bad.yaml:41:1: ", "nothing was sent");

    const caps = write("caps.yaml", "apiVersion: reeve/v1\nkind: Project\nmetadata:\n  name: Shop\n");
    refused(
      await reeve(["apply", "-f", caps]),
      3,
      "caps.yaml:4:3: /metadata/name: not a valid name",
      "named",
    );

    const typo = write("typo.yaml", "kind: Project\nmetadata:\n  name: x\nspec:\n  displayNam: x\n");
    const said = await reeve(["apply", "-f", typo]);
    expect(said.code).toBe(3);
    expect(said.stderr).toContain("typo.yaml");

    const kind = write("kind.yaml", "apiVersion: reeve/v1\nkind: Unicorn\nmetadata:\n  name: x\n");
    refused(await reeve(["apply", "-f", kind]), 3, /no kind "Unicorn"\n {2}kind\.yaml:2:1: /, "Organization");

    const astray = write("astray.yaml", "apiVersion: reeve/v1\nkind: Workspace\nmetadata:\n  name: x\n");
    refused(await reeve(["apply", "-f", astray]), 2, "workspaces live in a project, not in acme", "--scope");

    const nowhere = team.replaceAll("acme", "nowhere");
    const lost = await reeve(["apply", "-f", write("nowhere.yaml", nowhere)]);
    refused(lost, 5, "there is no scope nowhere", "make the organization");

    expect((await reeve(["apply", "-f", "missing.yaml"])).code).toBe(2);
    refused(await reeve(["apply"]), 2, "say which files", "-f FILE");
    expect(await done(["get", "projects", "-o", "name"])).toBe("project/acme/shop\n");
  });
});

describe("reading", () => {
  test("the same resource as a table, wide, by name, as YAML and as JSON", async () => {
    expect(await done(["get", "projects"])).toMatch(/^NAME +DISPLAY NAME +AGE\nshop +The shop +\d+\w+\n$/);
    const wide = await done(["get", "projects", "-o", "wide"]);
    expect(wide).toMatch(/GENERATION +REVISION +LABELS.*\nshop +The shop +1 +\d+ +team=web /);
    expect(await done(["get", "project/shop", "-o", "name"])).toBe("project/acme/shop\n");
    const json = JSON.parse(await done(["get", "project", "shop", "-o", "json"]));
    expect(json).toMatchObject({
      kind: "Project",
      metadata: { scope: "acme", name: "shop", generation: 1, labels: { team: "web" } },
      spec: { displayName: "The shop" },
    });
    const yaml = await done(["get", "project/shop", "-o", "yaml"]);
    expect(yaml).toContain("spec:\n  displayName: The shop\n");
    expect(await done(["diff", "-f", write("got.yaml", yaml)])).toBe("");
  });

  test("labels select, -A looks below, an empty list shows how to make one", async () => {
    expect(await done(["get", "projects", "-l", "team=web", "-o", "name"])).toBe("project/acme/shop\n");
    expect(await done(["get", "projects", "-l", "team!=web", "-o", "name"])).toBe("");
    expect(await done(["get", "sa", "-A"])).toMatch(/acme\/shop +ci +active +Deploys/);
    const none = await reeve(["get", "sa"]);
    expect(none).toMatchObject({ code: 0, stdout: "" });
    expect(none.stderr).toContain("make one with:\n\nreeve apply -f -");
  });

  test("describe, explain, why and api-resources answer in words", async () => {
    expect(await done(["describe", "project/shop"])).toMatch(/^Labels: +team=web$/m);
    expect(await done(["explain", "rolebinding"])).toMatch(/owner, editor, viewer, auditor/);
    expect(await done(["explain", "rolebinding.subject"])).toMatch(/scope +text \(scope\) +no/);
    expect(await done(["why", "project/shop"])).toMatch(/looked/);
    const kinds = await done(["api-resources", "-o", "name"]);
    expect(kinds.split("\n")).toEqual(expect.arrayContaining(["projects", "serviceaccounts", "tokens"]));
  });

  test("what is not there is said to be not there", async () => {
    refused(await reeve(["get", "project/nope"]), 5, "there is no Project nope in acme", "check the name");
    refused(
      await reeve(["get", "unicorns"]),
      3,
      'there is no kind "unicorns"',
      "the kinds are organizations",
    );
    refused(await reeve(["explain", "unicorn"]), 3, 'there is no kind "unicorn"', "the kinds are");
    refused(await reeve(["get", "sa/acme/nope/ci"]), 5, "there is no ServiceAccount ci", "check the name");
    refused(await reeve(["frobnicate"]), 2, "unknown command", "reeve --help");
  });
});

describe("changing", () => {
  test("a watch in the background sees each change, once and in order", async () => {
    const watch = reeve.start(["watch", "projects", "-o", "json"]);
    const events = () =>
      watch
        .stdout()
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    await until("the watch to begin", () => events().length === 1);

    const changed = write("team.yaml", team.replace("The shop", "The new shop"));
    const diff = await reeve(["diff", "-f", changed]);
    expect(diff).toMatchObject({ code: 1, stderr: "" });
    expect(diff.stdout).toMatch(/@ \/spec\/displayName\n-The shop\n\+The new shop\n/);
    expect(await done(["apply", "-f", changed])).toContain("project/acme/shop updated\n");
    expect((await reeve(["diff", "-f", changed])).code).toBe(0);

    const editor = write("editor.sh", '#!/bin/sh\nexec sed -i "s/The new shop/The edited shop/" "$1"\n');
    chmodSync(join(reeve.home, editor), 0o755);
    const env = { EDITOR: join(reeve.home, editor) };
    const edited = await reeve(["edit", "project/shop", "--reason", "by hand"], { env });
    expect(edited).toMatchObject({ code: 0, stderr: "project/acme/shop updated\n" });

    const history = await done(["history", "project/shop"]);
    expect(history).toMatch(/3 .*user:ada +by hand\n2 .*user:ada.*\n1 .*user:ada +first steps\n$/);
    expect(await done(["history", "project/shop", "--diff"])).toContain("-The new shop\n+The edited shop\n");

    const back = await reeve(["rollback", "project/shop", "--to", "1", "--reason", "better before"]);
    expect(back).toMatchObject({ code: 0 });
    expect(back.stderr).toContain("is now at generation 4, with the spec of 1");
    refused(await reeve(["rollback", "project/shop"]), 2, "say which generation", "reeve history");
    refused(await reeve(["rollback", "project/shop", "--to", "99"]), 6, "generation 99", "history");

    await until("the watch to see it", () => events().length >= 4);
    watch.kill("SIGINT");
    expect(await watch.ended).toMatchObject({ code: 130 });
    const seen = events().map(({ type, resource }) => [type, resource.spec.displayName]);
    expect(seen).toEqual([
      ["added", "The shop"],
      ["modified", "The new shop"],
      ["modified", "The edited shop"],
      ["modified", "The shop"],
    ]);
  });

  test("wait tells by its exit code whether it came true", async () => {
    expect((await reeve(["wait", "project/shop", "--for", "spec.displayName=The shop"])).code).toBe(0);
    const vain = await reeve(["wait", "project/shop", "--for", "deleted", "--timeout", "1s"]);
    expect(vain.code).toBe(1);
    expect(vain.stderr).toContain("waited 1s for it to be gone, but it is there");
  });

  test("an edit that the server refuses opens the editor again and loses nothing", async () => {
    const twice =
      '#!/bin/sh\ngrep -q "# refused" "$1" && exit 0\nexec sed -i "s/displayName/displayNam/" "$1"\n';
    const editor = write("typo.sh", twice);
    chmodSync(join(reeve.home, editor), 0o755);
    const said = await reeve(["edit", "project/shop"], { env: { EDITOR: join(reeve.home, editor) } });
    expect(said.code).toBe(3);
    expect(said.stderr).toContain("/spec/displayNam: unknown field");
    expect(await done(["get", "project/shop", "-o", "yaml"])).toContain("displayName: The shop\n");
  });

  test("pause and resume are recorded on the resource", async () => {
    expect((await reeve(["pause", "project/shop", "--reason", "a freeze"])).stderr).toMatch(/shop paused/);
    expect((await reeve(["pause", "project/shop"])).stderr).toMatch(/already paused/);
    expect(await done(["describe", "project/shop"])).toMatch(/^Paused: +yes/m);
    expect((await reeve(["resume", "project/shop"])).stderr).toMatch(/shop resumed/);
    expect(await done(["describe", "project/shop"])).not.toMatch(/^Paused/m);
  });
});

describe("rights", () => {
  let secret = "";
  const asCi = () => ({ env: { REEVE_URL: server.url, REEVE_TOKEN: secret } });

  test("a token for a service account is shown once, alone on stdout", async () => {
    const made = await reeve(
      "token create ci-2026 --for serviceaccount/ci --scope acme/shop --expires 90d".split(" "),
    );
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^reeve_t_[\w-]{43}\n$/);
    expect(made.stderr).toContain("not shown again");
    secret = made.stdout.trim();
    const shown = await done(["get", "token/acme/shop/ci-2026", "-o", "yaml"]);
    expect(shown).toContain("kind: Token");
    expect(shown).not.toContain(secret);
    expect(await done(["why", "token/acme/shop/ci-2026"])).toMatch(
      /^done: expires at .*, then it is removed$/m,
    );
    const again = ["token", "create", "ci-2026", "--for", "sa/acme/shop/ci"];
    refused(await reeve(again), 6, "exists already", "another name");
    const wrong = ["token", "create", "x", "--for", "project/shop"];
    refused(await reeve(wrong), 2, "a Project cannot hold a token", "serviceaccount/NAME");
  });

  test("whoever holds less sees and may do less, and hears which permission is missing", async () => {
    expect(await done(["auth", "whoami"], asCi())).toMatch(/^serviceaccount:acme\/shop\/ci \(by token\)\n/);
    expect(await done(["get", "ws", "-s", "acme/shop", "-o", "name"], asCi())).toBe(
      "workspace/acme/shop/production\n",
    );
    const can = await reeve(["auth", "can-i", "create", "workspaces", "-s", "acme/shop"], asCi());
    expect(can).toMatchObject({ code: 1, stdout: "no\n" });
    expect(await done(["auth", "can-i", "create", "workspaces", "-s", "acme/shop"])).toBe("yes\n");
    refused(await reeve(["auth", "can-i", "fly", "projects"]), 3, 'no verb "fly"', "create");
    refused(
      await reeve(["apply", "-f", "team.yaml"], asCi()),
      4,
      "needs the permission projects:update",
      "ask",
    );
    refused(await reeve(["delete", "project/acme/shop", "-y"], asCi()), 4, "projects:delete", "ask an owner");
    refused(await reeve(["debug", "lane"], asCi()), 4, "installation:debug", "ask an owner");
    refused(await reeve(["get", "user/ada"], asCi()), 5, "there is no User ada", "what you may not read");
  });

  test("a credential that is none says so", async () => {
    const env = { REEVE_URL: server.url, REEVE_TOKEN: "reeve_t_nonsense" };
    refused(await reeve(["get", "org"], { env }), 4, "this credential is not valid", "reeve login");
  });

  test("a deleted token stops working at once", async () => {
    expect((await reeve(["auth", "whoami"], asCi())).code).toBe(0);
    expect((await reeve(["token", "delete", "acme/shop/ci-2026"])).code).toBe(0);
    expect((await reeve(["auth", "whoami"], asCi())).code).toBe(4);
  });
});

test("the inside of the server can be looked at", async () => {
  const lane = JSON.parse(await done(["debug", "lane", "-o", "json"])).items;
  expect(lane).toEqual([expect.objectContaining({ waiting: 0, position: expect.any(Number) })]);
  const leases = JSON.parse(await done(["debug", "leases", "-o", "json"])).items;
  expect(leases).toHaveLength(64);
  expect(leases.filter((lease: { live: boolean; mine: boolean }) => lease.live && lease.mine)).toHaveLength(
    64,
  );
  const links = JSON.parse(await done(["debug", "links", "-o", "json"])).items;
  expect(links).toEqual([expect.objectContaining({ live: true, link: "this replica" })]);
  expect((await reeve(["debug", "reconcilers"])).code).toBe(0);
  expect(await done(["debug", "leases"])).toMatch(/^BUCKET +HOLDER +LIVE/);
  refused(await reeve(["debug", "nothing"]), 2, "nothing to show", "reconcilers, leases, links, lane");
});

test("a deletion that something holds says what, and goes on when that lets go", async () => {
  const held =
    "apiVersion: reeve/v1\nkind: Workspace\nmetadata: { scope: acme/shop, name: held, finalizers: [example.com/disk] }\n";
  const file = write("held.yaml", held);
  await done(["apply", "-f", file]);
  const still = await reeve(["delete", "ws/acme/shop/held", "--yes", "--timeout", "1s"]);
  expect(still).toMatchObject({ code: 1, stdout: "" });
  expect(still.stderr).toContain("held by example.com/disk: this finalizer has not been removed yet");
  expect(still.stderr).toContain("--force");
  expect(await done(["why", "ws/acme/shop/held"])).toContain("waits for example.com/disk to be removed");
  write("held.yaml", held.replace("example.com/disk", ""));
  const freed = await reeve(["apply", "-f", file]);
  expect(freed.code).toBe(0);
  expect((await reeve(["wait", "ws/acme/shop/held", "--for", "deleted", "--timeout", "10s"])).code).toBe(0);
});

test("deleting the project takes its contents with it and waits until it is gone", async () => {
  const gone = await reeve(["delete", "project/shop", "--yes", "--reason", "the end"]);
  expect(gone).toMatchObject({ code: 0, stdout: "project/acme/shop deleted\n" });
  for (const kind of ["projects", "workspaces", "serviceaccounts", "rolebindings"])
    expect([kind, await done(["get", kind, "-A", "-s", "acme", "-o", "name"])]).toEqual([kind, ""]);
  expect((await reeve(["wait", "project/shop", "--for", "deleted"])).code).toBe(0);
  refused(await reeve(["delete", "project/shop", "-y"]), 5, "there is no Project shop", "check the name");
});

test("signed out, the session is over on the server too", async () => {
  const token = /token: (\S+)/.exec(
    readFileSync(join(reeve.home, ".config", "reeve", "config.yaml"), "utf8"),
  )?.[1];
  expect((await reeve(["logout"])).stderr).toContain("signed out");
  refused(await reeve(["get", "org"]), 4, "sign in first", "reeve login");
  const env = { REEVE_URL: server.url, REEVE_TOKEN: token ?? "" };
  refused(await reeve(["get", "org"], { env }), 4, "this credential is not valid", "reeve login");
});

test("a server that is not there is named, with what to check", async () => {
  const env = { REEVE_URL: "http://localhost:9", REEVE_TOKEN: "x" };
  refused(await reeve(["get", "org"], { env }), 7, "nobody listens there", "check that the server runs");
});
