import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { AttemptOrder, InnerBody, InnerOutcome } from "@reeve/agent";
import { serveGit, testRepository } from "@reeve/git/testing";
import type { JsonObject } from "@reeve/model";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../tools/components.ts";
import type { FetchedFile } from "../kinds/index.ts";
import { gitFetch } from "./git.ts";

async function fetchFrom(
  given: JsonObject,
  signal = new AbortController().signal,
): Promise<InnerOutcome & { left: boolean }> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-fetch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "files"));
  const order = { folder, files: join(folder, "files"), with: given } as unknown as AttemptOrder;
  const body = (await gitFetch.prepare(order)) as InnerBody;
  const outcome = await body.run({ signal, stdout() {}, stderr() {} });
  return { ...outcome, left: existsSync(join(folder, "git")) || existsSync(join(folder, "files/git")) };
}

function filesOf({ outputs, why }: InnerOutcome): FetchedFile[] {
  if (typeof outputs?.files !== "string") throw new Error(`no files: ${why}`);
  return JSON.parse(gunzipSync(Buffer.from(outputs.files, "base64")).toString()) as FetchedFile[];
}

const keep = (end: () => void) => onTestFinished(end);
const workflow = (name: string) =>
  `apiVersion: reeve/v1\nkind: Workflow\nmetadata: { name: ${name} }\nspec: { steps: [{ name: a, run: x }] }\n`;

describe("fetching from Git", needs("git"), () => {
  test("a branch, a tag, the default and a sub-folder; what is known is not fetched again", async () => {
    const repository = testRepository(keep);
    const first = repository.push({
      "flows/one.workflow.yaml": workflow("one"),
      "flows/two.yaml": `# more\n${workflow("two")}`,
      "flows/other.yaml": "kind: Project\n",
      "flows/hello.sh": "echo hello\n",
      "README.md": "x",
      "top.sh": "rm -rf /\n",
      "top.workflow.yml": workflow("top"),
    });
    repository.git("tag", "-a", "v1", "-m", "one");
    repository.git("push", "--quiet", "origin", "v1");
    const second = repository.push({ "flows/one.workflow.yaml": workflow("uno") });
    const { url, asked } = await serveGit(repository.root, keep);
    const all = await fetchFrom({ url });
    expect(all).toMatchObject({ outcome: "succeeded", outputs: { commit: second }, left: false });
    expect(filesOf(all).map(({ path }) => path)).toEqual([
      "flows/one.workflow.yaml",
      "flows/two.yaml",
      "top.workflow.yml",
    ]);
    const below = await fetchFrom({ url, ref: "main", path: "flows" });
    expect(filesOf(below).map(({ path }) => path)).toEqual([
      "flows/hello.sh",
      "flows/one.workflow.yaml",
      "flows/two.yaml",
    ]);
    const tagged = await fetchFrom({ url, ref: "tag:v1" });
    expect(tagged.outputs?.commit).toBe(first);
    expect(filesOf(tagged)[0]?.text).toContain("one");
    asked.length = 0;
    expect((await fetchFrom({ url, ref: "tag:v1", known: first })).outputs).toEqual({
      commit: first,
      unchanged: true,
    });
    expect(asked.some((line) => line.includes("git-upload-pack") && line.startsWith("POST"))).toBe(true);
    expect(asked.length).toBe(2);
  });

  test("a branch, tag or folder that is not there, and an address that is none", async () => {
    const repository = testRepository(keep);
    repository.push({ "a.txt": "a" });
    const { url } = await serveGit(repository.root, keep);
    expect(await fetchFrom({ url, ref: "nope" })).toMatchObject({
      outcome: "failed",
      why: "the repository has no branch nope",
    });
    expect(await fetchFrom({ url, ref: "tag:nope" })).toMatchObject({
      why: "the repository has no tag:nope",
    });
    expect(await fetchFrom({ url, path: "nope" })).toMatchObject({ why: "there is no folder nope" });
    expect(await fetchFrom({ url: url.replace("flows", "none") })).toMatchObject({
      why: expect.stringContaining("not found"),
    });
    for (const bad of ["file:///etc", "ext::sh -c id", "--upload-pack=id", `${repository.root}/flows.git`])
      await expect(fetchFrom({ url: bad })).rejects.toThrow("must begin with");
    await expect(fetchFrom({ url, ref: "--exec=id" })).rejects.toThrow("must be a branch");
  });

  test("a password opens, is in no argument, and does not follow a redirect", async () => {
    const repository = testRepository(keep);
    repository.push({ "one.workflow.yaml": workflow("one") });
    const { url } = await serveGit(repository.root, keep, { password: "open sesame" });
    expect(await fetchFrom({ url })).toMatchObject({
      outcome: "failed",
      why: expect.stringMatching(/Authentication failed/),
    });
    expect(await fetchFrom({ url, password: "wrong" })).toMatchObject({
      why: expect.stringMatching(/Authentication failed/),
    });
    expect(filesOf(await fetchFrom({ url, user: "git", password: "open sesame" }))).toHaveLength(1);
    const away = await serveGit(repository.root, keep, {
      before(request, answer) {
        answer.writeHead(302, { location: url.replace("/flows.git", request.url ?? "") }).end();
        return true;
      },
    });
    expect(await fetchFrom({ url: away.url, password: "open sesame" })).toMatchObject({ outcome: "failed" });
  });

  test("links lead nowhere, submodules and hooks are not run, and what is too large is said of its file alone", async () => {
    const repository = testRepository(keep);
    repository.push({ "a.txt": "a" });
    const own = join(repository.root, "flows.git");
    repository.git(
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      own,
      "sub.workflow.yaml",
    );
    repository.push({
      "good.workflow.yaml": workflow("good"),
      "passwd.workflow.yaml": "->/etc/passwd",
      "up.sh": "->../../../etc/passwd",
      folder: "->/etc",
      "large.workflow.yaml": `# ${"x".repeat(600 * 1024)}\n`,
    });
    const { url } = await serveGit(repository.root, keep);
    const found = filesOf(await fetchFrom({ url }));
    expect(found).toMatchObject([
      { path: "good.workflow.yaml", text: workflow("good") },
      { path: "large.workflow.yaml", error: expect.stringContaining("and 524288 are allowed") },
      { path: "passwd.workflow.yaml", error: "is a symbolic link, which is not followed" },
      { path: "sub.workflow.yaml", error: "is a submodule, which is not followed" },
    ]);
  });

  test("programs are run apart, with what lies beside them, and one that fails hurts no other", async () => {
    const repository = testRepository(keep);
    repository.push({
      "flows/tables.ts": 'export const tables = ["a", "b"];',
      "flows/etl.workflow.ts": `import { defineWorkflow } from "@reeve/sdk/kinds"; import { tables } from "./tables.ts";
        export default defineWorkflow({ name: "etl", spec: { steps: tables.map((name) => ({ name, run: "x" })) } });`,
      "flows/bad.workflow.ts": 'import "node:child_process"; export default 1;',
    });
    const { url } = await serveGit(repository.root, keep);
    expect(filesOf(await fetchFrom({ url, path: "flows" }))).toMatchObject([
      { path: "flows/bad.workflow.ts", error: expect.stringMatching(/cannot use node:child_process/) },
      { path: "flows/etl.workflow.ts", manifests: [{ metadata: { name: "etl" } }] },
    ]);
  });

  test("a server that does not go on is left when the time is over, with nothing left running", async () => {
    const repository = testRepository(keep);
    repository.push({ "one.workflow.yaml": workflow("one") });
    const { url, asked } = await serveGit(repository.root, keep, {
      before: (request) => request.method === "POST",
    });
    const late = new AbortController();
    const fetching = fetchFrom({ url }, late.signal);
    await expect.poll(() => asked.some((line) => line.startsWith("POST"))).toBe(true);
    late.abort(new Error("ran longer than 3m"));
    await expect(fetching).rejects.toThrow("ran longer than 3m");
  });
});
