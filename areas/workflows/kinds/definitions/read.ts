import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault, isObject, type JsonObject } from "@reeve/model";
import type { WorkflowDefinition } from "../define.ts";
import { workflowManifest } from "../manifest.ts";

const limits = { timeMs: 10_000, outputBytes: 16 * 1024 * 1024, memoryMb: 256 };
const child = fileURLToPath(new URL("./child.ts", import.meta.url));

/** The workflows that a `*.workflow.ts` file defines, as manifests. The file runs in a process of its own that can do next to nothing. */
export async function readDefinitions(file: string, timeMs = limits.timeMs): Promise<JsonObject[]> {
  const path = resolve(file);
  // An agent that was installed is a bundle, without what definitions import.
  if (!existsSync(child))
    throw refusal(file, "this agent cannot run definitions in TypeScript; the server's own agent can");
  const lines = (await run(path, timeMs)).trimEnd().split("\n");
  const found = JSON.parse(lines.at(-1) ?? "[]") as unknown[];
  return found.map((one) => {
    if (!isObject(one) || !isObject(one.spec) || typeof one.name !== "string")
      throw refusal(file, "its default export is no workflow: use defineWorkflow({ name, spec })");
    return workflowManifest(one as unknown as WorkflowDefinition);
  });
}

function run(path: string, timeMs: number): Promise<string> {
  const reads = [dirname(path), dirname(dirname(child))].map((folder) => `--allow-fs-read=${folder}/*`);
  const args = [
    "--permission",
    ...reads,
    `--max-old-space-size=${limits.memoryMb}`,
    "--disable-warning=ExperimentalWarning",
    child,
    path,
  ];
  const options = { timeout: timeMs, maxBuffer: limits.outputBytes, killSignal: "SIGKILL" as const, env: {} };
  return new Promise((done, failed) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error === null) return done(stdout);
      if (error.killed)
        return failed(refusal(path, `it was stopped after ${timeMs / 1000} s, or said too much`));
      failed(refusal(path, reasonIn(stderr)));
    });
  });
}

/** Of Node's report the error's own line, with the line of the file that stands before it. */
function reasonIn(stderr: string): string {
  const lines = stderr.split("\n");
  const error = lines.find((line) => /^\s*(\w*Error)\b.*: /.test(line) || line.startsWith("Error: "));
  const place = lines.find(
    (line) => /^file:\/\/.*:\d+$/.test(line) && !line.includes("definitions/child.ts"),
  );
  return [place?.replace("file://", ""), error?.trim() ?? "it did not end well"].filter(Boolean).join(": ");
}

function refusal(file: string, why: string): Fault {
  return new Fault("invalid", `${file}: ${why}`, { next: "correct the file; nothing was sent" });
}
