import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveGit, type TestRepository, testRepository } from "../../core/git/testing.ts";
import { needs } from "../../tools/components.ts";
import { openBench } from "../harness/bench.ts";
import { openShop, type Shop } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** docs/sources.md, with a real repository, the real server and its home agent. One story. */
const bench = openBench(afterAll);
let repository: TestRepository;
let shop: Shop;

const workflow = (name: string, words: string) => `apiVersion: reeve/v1
kind: Workflow
metadata: { name: ${name} }
spec:
  steps:
    - name: say
      run: ${words}
`;

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
const read = async (what: string): Promise<any> => JSON.parse(await shop.done(["get", what, "-o", "json"]));

/** Asks for it at once, and waits until what was pushed is here. */
async function synced(commit: string) {
  await shop.done(["act", "source/flows", "sync"]);
  let status: Awaited<ReturnType<typeof read>>["status"];
  await until(
    `commit ${commit}`,
    async () => {
      ({ status } = await read("source/flows"));
      return status.commit === commit && status.run === undefined;
    },
    60_000,
  );
  return status;
}

describe("workflows from Git", needs("git"), () => {
  beforeAll(async () => {
    repository = testRepository((end) => afterAll(end));
    shop = await openShop(bench);
    const { url } = await serveGit(repository.root, (end) => afterAll(end), { password: "hush hush hush" });
    shop.write(
      "all.yaml",
      `apiVersion: reeve/v1
kind: Secret
metadata: { scope: acme/shop, name: git }
spec: {}
---
${workflow("mine", "echo mine")}
---
apiVersion: reeve/v1
kind: Source
metadata: { name: flows }
spec:
  git:
    url: ${url}
    path: flows
    password: { secretRef: { name: git, key: token } }
  every: 10s
`,
    );
    repository.push({ "flows/hello.workflow.yaml": workflow("hello", "echo one") });
    await shop.done(["apply", "-f", "all.yaml"]);
    await shop.done(["secret", "set", "git", "token=hush hush hush"]);
  });

  test("what is pushed is here, belongs to the source, and runs", async () => {
    const commit = repository.push({ "flows/cleanup.sh": "echo clean\n" });
    const status = await synced(commit);
    expect(status.files).toEqual([
      { path: "flows/cleanup.sh", workflow: "cleanup", state: "ok" },
      { path: "flows/hello.workflow.yaml", workflow: "hello", state: "ok" },
    ]);
    expect(status.conditions).toMatchObject([{ type: "Synced", status: "true", reason: "UpToDate" }]);
    const { metadata } = await read("workflow/hello");
    expect(metadata).toMatchObject({
      owner: { kind: "Source", name: "flows" },
      labels: { "reeve/source": "flows" },
      annotations: { "reeve/file": "flows/hello.workflow.yaml" },
    });
    expect(await shop.done(["run", "hello", "--follow"])).toMatch(/succeeded/);
    expect(await shop.done(["history", "workflow/hello"])).toContain("flows/hello.workflow.yaml of commit");
    expect(await shop.done(["get", "sources"])).toContain(commit.slice(0, 10));
  });

  test("one bad file, at its line and column, blocks no good one, and what it said before stays", async () => {
    const commit = repository.push({
      "flows/hello.workflow.yaml": workflow("hello", "echo two").replace("run:", "run: {}\n      rum:"),
      "flows/broken.workflow.yaml": "kind: [\n",
      "flows/new.workflow.yaml": workflow("new", "echo new"),
      "flows/mine.workflow.yaml": workflow("mine", "echo theirs"),
      "flows/twice.yaml": workflow("new", "echo again"),
      "flows/away.workflow.yaml": workflow("away", "x").replace("{ name", "{ scope: acme, name"),
    });
    const status = await synced(commit);
    const said = new Map(
      status.files.map((one: { path: string; message?: string }) => [one.path, one.message ?? "ok"]),
    );
    expect(said.get("flows/new.workflow.yaml")).toBe("ok");
    expect(said.get("flows/hello.workflow.yaml")).toMatch(
      /^flows\/hello\.workflow\.yaml:\d+:\d+: \/spec\/steps\/0/,
    );
    expect(said.get("flows/broken.workflow.yaml")).toMatch(/^flows\/broken\.workflow\.yaml:\d+:\d+: /);
    expect(said.get("flows/mine.workflow.yaml")).toContain("does not belong to it");
    expect(said.get("flows/twice.yaml")).toContain("new is defined in flows/new.workflow.yaml already");
    expect(said.get("flows/away.workflow.yaml")).toMatch(/:3:\d+: it is meant for acme/);
    expect(status.conditions[0]).toMatchObject({ status: "false", reason: "SomeFailed" });
    expect((await read("workflow/hello")).spec.steps[0].run).toBe("echo one");
    expect((await read("workflow/mine")).spec.steps[0].run).toBe("echo mine");
  });

  test("a file that is gone takes its workflow along, not its runs; pushed again, it is back", async () => {
    const gone = repository.push({
      "flows/hello.workflow.yaml": undefined,
      "flows/broken.workflow.yaml": undefined,
      "flows/mine.workflow.yaml": undefined,
      "flows/twice.yaml": undefined,
      "flows/away.workflow.yaml": undefined,
    });
    await synced(gone);
    expect((await shop.reeve(["get", "workflow/hello"])).code).toBe(5);
    expect((await shop.reeve(["get", "workflow/mine"])).code).toBe(0);
    const back = repository.push({ "flows/hello.workflow.yaml": workflow("hello", "echo back") });
    await synced(back);
    expect(await shop.done(["runs"])).toMatch(/hello +succeeded/);
  });

  test("by itself it comes in time, also when history was rewritten; paused, it does not", async () => {
    repository.git("reset", "--quiet", "--hard", "HEAD~1");
    const forced = repository.push(
      { "flows/forced.workflow.yaml": workflow("forced", "echo f") },
      { force: true },
    );
    await until(
      "the forced commit",
      async () => (await read("source/flows")).status.commit === forced,
      60_000,
    );
    expect((await shop.reeve(["get", "workflow/hello"])).code).toBe(5);
    expect((await shop.reeve(["get", "workflow/forced"])).code).toBe(0);
    await shop.done(["pause", "source/flows"]);
    const refused = await shop.reeve(["act", "source/flows", "sync"]);
    expect(refused.stderr).toContain("the source is paused");
    await shop.done(["resume", "source/flows"]);
  });

  test("a push that the Git server tells of, signed, is here without waiting for the time to come", async () => {
    const { metadata, spec } = await read("source/flows");
    const push = { secret: { secretRef: { name: "git", key: "hook" } } };
    await shop.done(["secret", "set", "git", "hook=a secret of both"]);
    const body = { apiVersion: "reeve/v1", kind: "Source", metadata, spec: { ...spec, every: "1h", push } };
    shop.write("told.yaml", JSON.stringify(body));
    await shop.done(["apply", "-f", "told.yaml"]);
    const before = repository.push({ "flows/before.workflow.yaml": workflow("before", "echo b") });
    await synced(before);
    const commit = repository.push({ "flows/told.workflow.yaml": workflow("told", "echo told") });
    const payload = JSON.stringify({ ref: "refs/heads/main", after: commit });
    const tell = (secret: string) =>
      fetch(`${shop.server.url}/api/v1/pushes/acme/shop/flows`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(payload).digest("hex")}`,
        },
        body: payload,
      });
    expect((await tell("a guess")).status).toBe(401);
    expect((await tell("a secret of both")).status).toBe(200);
    await until("the told commit", async () => (await read("source/flows")).status.commit === commit, 60_000);
    expect((await shop.reeve(["get", "workflow/told"])).code).toBe(0);
  });

  test("a fetch that fails says why, and changes nothing", async () => {
    await shop.done(["secret", "set", "git", "token=wrong wrong wrong"]);
    await shop.done(["act", "source/flows", "sync"]);
    await until(
      "a failed fetch",
      async () => {
        const [synced] = (await read("source/flows")).status.conditions;
        return synced.reason === "FetchFailed" && /Authentication failed/.test(synced.message);
      },
      60_000,
    );
    expect((await shop.reeve(["get", "workflow/forced"])).code).toBe(0);
    expect(await shop.done(["describe", "source/flows"])).toContain("FetchFailed");
    // The look is recorded after what it has reported.
    await until(
      "the look to have failed",
      async () => /^failed: .*Authentication failed/s.test(await shop.done(["why", "source/flows"])),
      60_000,
    );
    expect(JSON.stringify(await read("source/flows"))).not.toContain("wrong wrong");
    await shop.done(["delete", "source/flows", "--yes"]);
    await until(
      "its workflows to go with it",
      async () => (await shop.reeve(["get", "workflow/forced"])).code === 5,
      30_000,
    );
  });
});
