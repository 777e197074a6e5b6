import { createHmac } from "node:crypto";
import { renameSync } from "node:fs";
import { join as joined } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { needs } from "../../tools/components.ts";
import { composeOf, fromFolder, house, patience, push, wordsOf } from "./testing-repositories.ts";
import { fetched, keeping, linked } from "./testing-services.ts";

/** Services whose files are in a real repository; agents here are only links. */

describe("repositories of services", { ...needs("git"), timeout: 120_000 }, () => {
  test("a service of a folder is deployed by itself when the folder changes, and says so when it is not", async () => {
    const made = await house({}, { "db/compose.yaml": composeOf("db:1"), "web/conf/a": "1" });
    const agent = await linked(made.server, "one", keeping);
    await made.apply("services", "web", fromFolder("web", { autoDeploy: true }));
    await made.apply("services", "db", fromFolder("db"));
    const runOf = async (name: string) => (await made.read("services", name)).status.run;
    await vi.waitFor(async () => expect(await runOf("web")).toEqual(expect.any(String)), patience);
    const first = made.repository.git("rev-parse", "HEAD");
    const run = (await made.server.call("GET", `/runs/${await runOf("web")}`)).body;
    expect(run).toMatchObject({ inputs: { revision: first }, cause: "reconciler" });
    const { digest } = (await made.read("services", "web")).status.source;
    expect(JSON.parse(await fetched(agent, `services/bundles/${digest}`))).toEqual({
      "compose.yaml": composeOf("web:1"),
      "conf/a": "1",
    });
    await vi.waitFor(
      async () =>
        expect(wordsOf(await made.read("services", "db"), "Source")).toContain("newer revision is there"),
      patience,
    );
    expect(await runOf("db")).toBeUndefined();
    expect((await made.act("services", "db", "deploy")).status).toBe(200);
    expect((await made.read("services", "db")).status.source).toMatchObject({ revision: first });
  });

  test("a bad Compose file is refused with file and line, and what was deployed before stays", async () => {
    const made = await house();
    await linked(made.server, "one", keeping);
    await made.apply("services", "web", fromFolder("web", { autoDeploy: true }));
    const status = async () => (await made.read("services", "web")).status;
    await vi.waitFor(
      async () => expect((await status()).source?.begun).toEqual(expect.any(String)),
      patience,
    );
    const before = await status();
    const bad = await push(made, { "web/compose.yaml": `${composeOf("web:2")}    build: .\n` });
    await vi.waitFor(async () => {
      const words = wordsOf(await made.read("services", "web"), "Source");
      expect(words).toMatch(/^compose\.yaml:4:5: images are not built/);
      expect(words).toContain(bad);
    }, patience);
    const refused = await made.act("services", "web", "deploy");
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringContaining("compose.yaml:4:5"),
    ]);
    expect((await status()).run).toBe(before.run);
    expect((await status()).source).toEqual(before.source);
  });

  test("a repository that disappears keeps its last revision; a force-push is followed and said", async () => {
    const made = await house();
    const first = made.repository.git("rev-parse", "HEAD");
    await made.at(first);
    const bare = joined(made.repository.root, "flows.git");
    renameSync(bare, `${bare}.away`);
    await made.act("repositories", "apps", "fetch");
    await vi.waitFor(async () => {
      const { status } = await made.read("repositories", "apps");
      expect(wordsOf({ status }, "Fetched")).toContain(
        `revision ${first} of ${status.fetchedAt} is the last`,
      );
      expect(status.revision).toBe(first);
      const { look } = (await made.server.call("GET", "/organizations/acme/repositories/apps/why")).body;
      expect(look).toMatchObject({ outcome: "failed", why: wordsOf({ status }, "Fetched") });
    }, patience);
    renameSync(`${bare}.away`, bare);
    made.repository.git("commit", "--quiet", "--amend", "-m", "another");
    await push(made, { "web/compose.yaml": composeOf("web:3") }, { force: true });
    expect(wordsOf(await made.read("repositories", "apps"), "Fetched")).toContain(
      "its history was rewritten",
    );
  });

  test("of 200 services only those whose folder has changed are affected", async () => {
    const all = Array.from({ length: 200 }, (_, at) => `s${at}`);
    const made = await house(
      {},
      Object.fromEntries(all.map((one) => [`${one}/compose.yaml`, composeOf("web:1")])),
    );
    const resources = all.map((name) => ({
      apiVersion: "reeve/v1",
      kind: "Service",
      metadata: { scope: "acme", name },
      spec: fromFolder(name),
    }));
    expect((await made.server.call("POST", "/apply", { body: { resources } })).status).toBe(200);
    const folders = () =>
      made.server.database.query<{ folder: string; revision: string }>(
        "select folder, revision from repository_folder order by folder",
      );
    await vi.waitFor(async () => expect(await folders()).toHaveLength(200), patience);
    const second = await push(made, {
      "s7/compose.yaml": composeOf("web:2"),
      "s70/conf": "new",
      "README.md": "x",
    });
    const changed = (await folders()).filter(({ revision }) => revision === second);
    expect(changed.map(({ folder }) => folder)).toEqual(["s7", "s70"]);
    await vi.waitFor(
      async () => expect((await made.read("services", "s7")).status.source?.revision).toBe(second),
      patience,
    );
    expect((await made.read("services", "s8")).status.source?.revision).not.toBe(second);
  });

  test("what is no service's file is refused: links, what is not text, a folder that is not there", async () => {
    const made = await house({}, { "link/compose.yaml": "->/etc/passwd", "odd/compose.yaml": "a\0b" });
    for (const folder of ["link", "odd", "nowhere"]) await made.apply("services", folder, fromFolder(folder));
    const said = (name: string) => made.read("services", name).then((one) => wordsOf(one, "Source"));
    await vi.waitFor(async () => {
      expect(await said("link")).toContain("link/compose.yaml is a symbolic link, which is not followed");
      expect(await said("odd")).toContain("compose.yaml");
      expect(await said("nowhere")).toContain("the repository has no folder nowhere");
    }, patience);
    const both = await made.apply("services", "both", {
      ...fromFolder("web"),
      files: { "compose.yaml": "" },
    });
    expect(both.status).toBe(422);
  });

  test("a push that is told is fetched at once, and only with a signature", async () => {
    const made = await house();
    await made.apply("secrets", "git", {});
    await made.act("secrets", "git", "set", { values: { hook: "hush" } });
    const { body } = await made.server.call("GET", "/organizations/acme/repositories/apps");
    const spec = { ...body.spec, push: { secret: { secretRef: { name: "git", key: "hook" } } } };
    await made.apply("repositories", "apps", spec);
    await made.at(made.repository.git("rev-parse", "HEAD"));
    const tell = (name: string, secret: string) => {
      const sent = { ref: "refs/heads/main" };
      const signature = createHmac("sha256", secret).update(JSON.stringify(sent)).digest("hex");
      const headers = { "x-hub-signature-256": `sha256=${signature}` };
      return made.server.call("POST", `/repository-pushes/acme/${name}`, {
        token: null,
        body: sent,
        headers,
      });
    };
    expect((await tell("apps", "guess")).status).toBe(401);
    expect((await tell("nothing", "hush")).status).toBe(401);
    const second = made.repository.push({ "web/compose.yaml": composeOf("web:2") });
    expect((await tell("apps", "hush")).status).toBe(200);
    await made.at(second);
    const audited = "select subject from audit where operation = 'push' and outcome = 'done'";
    expect(await made.server.database.query(audited)).toEqual([{ subject: "anonymous" }]);
  });

  test("files are written back as a commit of the person, and only upon what they have seen", async () => {
    const made = await house({ writeBack: true }, { "web/sealed.age": "x", "web/odd": "a\0b" });
    const base = made.repository.git("rev-parse", "HEAD");
    const files = { "web/compose.yaml": composeOf("web:9"), "web/new": "n\n" };
    const write = (given: object) =>
      made.act("repositories", "apps", "write", { base, message: "Take nine", files, ...given });
    await made.at(base);
    const see = (rest: string) => made.server.call("GET", `/organizations/acme/repositories/apps/${rest}`);
    const tree = (await see("tree")).body;
    expect(tree).toMatchObject({ revision: base, more: false, commits: [{ revision: base, by: "Ada" }] });
    expect(tree.files).toContainEqual({ path: "web/compose.yaml", bytes: composeOf("web:1").length });
    const file = { revision: base, path: "web/compose.yaml", text: composeOf("web:1") };
    expect((await see("file?path=web/compose.yaml")).body).toEqual(file);
    expect((await see("file?path=web/sealed.age")).body).toMatchObject({ hidden: "encrypted" });
    expect((await see("file?path=web/odd")).body).toMatchObject({ hidden: "binary" });
    expect((await see("file?path=../config")).status).toBe(422);
    expect((await see("file?path=web/none")).status).toBe(404);
    const done = await write({});
    expect(done.status, JSON.stringify(done.body)).toBe(200);
    const { revision } = done.body as { revision: string };
    await made.at(revision);
    made.repository.git("pull", "--quiet", "origin", "main");
    expect(made.repository.git("log", "-1", "--format=%H %P %an %s")).toBe(
      `${revision} ${base} ada Take nine`,
    );
    expect(made.repository.git("show", "HEAD:web/new")).toBe("n");
    // The same once more is there already.
    expect((await write({})).body).toEqual({ revision });
    const late = await write({ files: { "web/new": "other" } });
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining(revision)]);
    expect((await write({ base: revision, files: { "web/new": null } })).status).toBe(200);
    const audit = await made.server.database.query("select detail from audit where operation = 'write'");
    expect(JSON.stringify(audit)).not.toContain("image");
    await made.apply("repositories", "apps", { git: { url: made.url, ref: "main" }, writeBack: false });
    expect((await write({ base: revision })).status).toBe(412);
  });
});
