import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { apiVersion, Fault, type Resource, sameJson } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import type { Collection, Draft } from "@reeve/sdk";
import { defineVerb, text, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { leavingInterruptsTo } from "../interrupted.ts";
import { readManifests, type WrittenManifest } from "../manifests/read-manifests.ts";
import { nameOf } from "../output/name-of.ts";
import { targetArgs } from "../target-args.ts";

export const edit = defineVerb<CliDesk>()({
  name: "edit",
  group: "change",
  summary: "Change a resource in your $EDITOR",
  args: targetArgs,
  options: { reason: text("TEXT", "Why, for history and audit") },
  example: "EDITOR='code --wait' reeve edit sa/ci",
  async run(desk, { args: [word = "", path], options }) {
    const { kind, scope, name } = await desk.target(word, path);
    const collection = (await desk.client()).kind(kind);
    const before = await collection.get(scope, name);
    const folder = mkdtempSync(join(tmpdir(), "reeve-edit-"));
    const file = join(folder, `${kind.name.toLowerCase()}-${name}.yaml`);
    const outcome = await session(desk, collection, { before, file, reason: options.reason });
    rmSync(folder, { recursive: true });
    desk.say(`${nameOf(kind, { scope, name })} ${outcome}`);
    return 0;
  },
});

interface Editing {
  readonly before: Resource;
  readonly file: string;
  readonly reason: string | undefined;
}

/** Opens the editor until the server takes it or the person gives up; what was written stays in the file then. */
async function session(desk: CliDesk, collection: Collection<Resource>, editing: Editing): Promise<string> {
  const { before, file, reason } = editing;
  const original = editable(before);
  let shown = `# Save to apply; leave unchanged or empty to give up.\n${toYaml(original)}`;
  let refusal: unknown;
  for (;;) {
    writeFileSync(file, shown, { mode: 0o600 });
    await openEditor(desk.environment.editor, file);
    const written = readFileSync(file, "utf8");
    if (stripped(written) === "" || written === shown) {
      if (refusal === undefined) return "unchanged";
      throw keeping(refusal, file);
    }
    try {
      const manifest = readEdited(written, file, before);
      if (sameJson(manifest, original)) return "unchanged";
      const options = { ifMatch: before.metadata.revision, ...(reason === undefined ? {} : { reason }) };
      return (await collection.apply(manifest as unknown as Draft<Resource["spec"]>, options)).outcome;
    } catch (error) {
      // What was changed meanwhile cannot be mended by writing the same again on an old base.
      if (!(error instanceof Fault) || error.kind !== "invalid") throw keeping(error, file);
      refusal = error;
      shown = `${refusalComment(error)}${withoutRefusal(written)}`;
    }
  }
}

/** Only what a person may change. */
function editable({ kind, metadata, spec }: Resource): Record<string, unknown> {
  const { scope, name, labels, annotations, finalizers, paused } = metadata;
  const filled = <T extends object>(value: T | undefined) =>
    value !== undefined && Object.keys(value).length > 0;
  return {
    apiVersion,
    kind,
    metadata: {
      ...(scope === "" ? {} : { scope }),
      name,
      labels: labels ?? {},
      annotations: annotations ?? {},
      ...(filled(finalizers) ? { finalizers } : {}),
      ...(paused ? { paused } : {}),
    },
    spec,
  };
}

function readEdited(text: string, source: string, before: Resource): WrittenManifest["manifest"] {
  const all = readManifests([{ source, text }]);
  const [one] = all;
  if (one === undefined || all.length > 1) throw new Fault("invalid", `${source}: expected one document`);
  const { kind, metadata } = one.manifest;
  if (
    kind !== before.kind ||
    metadata.name !== before.metadata.name ||
    (metadata.scope ?? "") !== before.metadata.scope
  )
    throw new Fault("invalid", "kind, scope and name cannot be edited: that would be another resource");
  return { ...one.manifest, metadata: { ...metadata, scope: before.metadata.scope } };
}

const refusalMark = "# refused: ";

function refusalComment(fault: Fault): string {
  const lines = [fault.message, ...fault.errors.map(({ pointer, message }) => `${pointer}: ${message}`)];
  return [...new Set(lines)].map((line) => `${refusalMark}${line.replaceAll("\n", " ")}\n`).join("");
}

function withoutRefusal(text: string): string {
  return text.replace(/^(# refused: .*\n)+/, "");
}

function stripped(text: string): string {
  return text.replace(/^\s*#.*$/gm, "").trim();
}

function keeping(error: unknown, file: string): unknown {
  if (!(error instanceof Fault)) return error;
  const next = `what you wrote is kept in ${file}; apply it with: reeve apply -f ${file}`;
  return new Fault(error.kind, error.message, { errors: error.errors, next, cause: error });
}

async function openEditor(editor: readonly string[], file: string): Promise<void> {
  const [program = "vi", ...args] = editor;
  const code = await leavingInterruptsTo(
    () =>
      new Promise<number | null>((resolve, reject) => {
        const child = spawn(program, [...args, file], { stdio: "inherit" });
        child.on("error", (error) => {
          rmSync(dirname(file), { recursive: true });
          reject(new Usage(`cannot start ${program}: ${error.message}`, "set EDITOR to an editor you have"));
        });
        child.on("exit", resolve);
      }),
  );
  if (code !== 0)
    throw new Usage(
      `${program} ended with ${code ?? "a signal"}; nothing was applied`,
      `what you wrote is in ${file}`,
    );
}
