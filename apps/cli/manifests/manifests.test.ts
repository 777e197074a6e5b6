import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessKinds } from "@reeve/access/kinds";
import { type Fault, type FieldError, kindRegistry } from "@reeve/model";
import { compile, Workflow } from "@reeve/workflows/kinds";
import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { collectFiles } from "./collect-files.ts";
import { placeManifests } from "./place-manifests.ts";
import { readManifests } from "./read-manifests.ts";

const registry = kindRegistry(accessKinds);
const find = async (name: string) => registry.find(name);
const head = (kind: string, name: string, scope?: string) =>
  `apiVersion: reeve/v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${scope === undefined ? "" : `  scope: ${scope}\n`}`;

test("a folder is read recursively and in order; other files and circles are left alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-manifests-"));
  try {
    mkdirSync(join(folder, "b"));
    writeFileSync(join(folder, "b", "one.yml"), "x");
    writeFileSync(join(folder, "a.json"), "y");
    writeFileSync(join(folder, "c.txt"), "z");
    symlinkSync(folder, join(folder, "b", "circle"));
    const files = await collectFiles([folder, "-"], async () => "from stdin");
    expect(files.map((file) => file.text)).toEqual(["y", "x", "from stdin"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a script named by itself is a workflow, a definition is run, and in a folder scripts are left alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-manifests-"));
  try {
    writeFileSync(join(folder, "hello.sh"), "echo hello\n");
    writeFileSync(
      join(folder, "etl.workflow.ts"),
      `import { defineWorkflow } from "@reeve/sdk/kinds";
       export default defineWorkflow({ name: "etl", spec: { steps: [{ name: "a", wait: "1s" }] } });`,
    );
    const files = await collectFiles([join(folder, "hello.sh"), folder], async () => "");
    const read = readManifests(files);
    expect(read.map(({ manifest }) => `${manifest.kind} ${manifest.metadata.name}`)).toEqual([
      "Workflow hello",
      "Workflow etl",
    ]);
    expect(read[0]?.place("/spec/steps/0/run")).toBe(join(folder, "hello.sh"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what is wrong with a workflow is told at its line and column", () => {
  const text = `${head("Workflow", "etl")}spec:
  steps:
    - name: extract
      run: echo \${{ inputs.day }}
    - name: load
      needs: [extract, transform]
      when: \${{ steps.extract.outputs.rows > }}
      run: echo \${{ steps.load.state }}
`;
  const [one] = readManifests([{ source: "etl.yaml", text }]);
  const spec = Workflow.spec.parse(one?.manifest.spec);
  let errors: readonly FieldError[] = [];
  try {
    compile("etl", spec);
  } catch (error) {
    errors = (error as Fault).errors;
  }
  expect(errors.map(({ pointer, message }) => `${one?.place(pointer)}: ${message}`)).toEqual([
    "etl.yaml:10:24: there is no step transform",
    "etl.yaml:8:7: there is no input day",
    expect.stringMatching(/^etl\.yaml:11:7: the expression/),
    expect.stringMatching(/^etl\.yaml:12:7: the step load may not have ended by then/),
  ]);
});

test("every mistake of every file is told with its place, before anything is sent", () => {
  const files = [
    { source: "good.yaml", text: head("User", "grace") },
    { source: "bad.yaml", text: "kind: [\n" },
    {
      source: "worse.yaml",
      text: `${head("User", "ada")}---\napiVersion: v1\nkind: Pod\n---\n${head("User", "[1]")}`,
    },
  ];
  expect(() => readManifests(files)).toThrow(
    expect.objectContaining({
      kind: "invalid",
      errors: [
        expect.objectContaining({ pointer: expect.stringMatching(/^bad\.yaml:\d+:\d+$/) }),
        { pointer: "worse.yaml:6:1", message: "apiVersion must be reeve/v1" },
        { pointer: "worse.yaml:12:3", message: "metadata.name must be text" },
      ],
    }),
  );
});

test("what get -o json prints can be applied again, with places", () => {
  const item = {
    apiVersion: "reeve/v1",
    kind: "User",
    metadata: { name: "grace", scope: "" },
    spec: { email: "x" },
  };
  const [one] = readManifests([
    { source: "list.json", text: JSON.stringify({ kind: "List", items: [item] }, null, 2) },
  ]);
  expect(one?.manifest).toEqual(item);
  expect(one?.place("/spec/email")).toBe("list.json:12:9");
});

test("a missing scope is where one stands, and scopes come before what lives in them", async () => {
  const text = [
    head("ServiceAccount", "ci"),
    head("Workspace", "prod"),
    head("Project", "shop"),
    head("Organization", "acme"),
  ].join("---\n");
  const placed = await placeManifests(
    readManifests([{ source: "x", text }]),
    { scope: "acme/shop", explicit: false },
    find,
  );
  expect(placed.map(({ manifest }) => `${manifest.kind} ${manifest.metadata.scope}`)).toEqual([
    "Organization ",
    "Project acme",
    "Workspace acme/shop",
    "ServiceAccount acme/shop",
  ]);
});

test("a manifest outside of the scope that was named is refused", async () => {
  const written = readManifests([{ source: "x.yaml", text: head("ServiceAccount", "ci", "other") }]);
  await expect(placeManifests(written, { scope: "acme", explicit: true }, find)).rejects.toThrow(
    /^x\.yaml:5:3: other is not within/,
  );
});

test("of an archive each file is for itself: good ones are read, others told, and no bomb is unpacked", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-archive-"));
  try {
    const archive = join(folder, "bundle.zip");
    const text = (words: string) => new TextEncoder().encode(words);
    const written = zipSync({
      "team/good.yaml": text(`${head("User", "ada")}spec: {}\n`),
      "../../etc/slip.yaml": text(`${head("User", "eve")}spec: {}\n`),
      "bad.yaml": text("kind: [\n"),
      "shape.yml": text("kind: User\n"),
      "large.yaml": new Uint8Array(5 * 1024 * 1024),
      "etl.workflow.ts": text("export default 1;"),
      "script.sh": text("echo left alone"),
    });
    writeFileSync(archive, written);
    const spoilt: FieldError[] = [];
    const found = readManifests(await collectFiles([archive], async () => ""), spoilt);
    expect(found.map(({ manifest }) => manifest.metadata.name)).toEqual(["eve", "ada"]);
    expect(spoilt.map(({ pointer, message }) => `${pointer.replace(`${folder}/`, "")}: ${message}`)).toEqual([
      expect.stringMatching(/^bundle\.zip\/bad\.yaml:\d+:\d+: /),
      "bundle.zip/etl.workflow.ts: is a program: unpack the archive and apply it from there",
      "bundle.zip/large.yaml: is 5242880 bytes, and 4194304 are allowed",
      "bundle.zip/shape.yml:1:1: apiVersion must be reeve/v1",
    ]);
    const files = await collectFiles([archive], async () => "");
    expect(() => readManifests(files)).toThrow("4 mistakes");
    const bomb = Object.fromEntries(
      Array.from({ length: 5 }, (_, at) => [`${at}.yaml`, new Uint8Array(4 * 1024 * 1024)]),
    );
    writeFileSync(archive, zipSync(bomb));
    await expect(collectFiles([archive], async () => "")).rejects.toThrow("would unpack to more than");
    writeFileSync(archive, written.subarray(0, 200));
    await expect(collectFiles([archive], async () => "")).rejects.toThrow("cannot be read");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
