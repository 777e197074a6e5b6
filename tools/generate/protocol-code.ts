/** The protocol's code, made from its .proto files by buf, which needs no network for that. */
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Made } from "./stale.ts";

const HOME = "core/protocol";

export async function protocolCode(): Promise<Made> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-protocol-"));
  try {
    await Promise.all([buf(["lint"], folder), buf(["generate", "--output", folder], folder)]);
    const files = globSync("gen/**/*.*", { cwd: folder });
    return new Map(files.map((file) => [`${HOME}/${file}`, readFileSync(join(folder, file), "utf8")]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function buf(args: readonly string[], folder: string): Promise<void> {
  const programs = resolve("node_modules/.bin");
  // buf starts the plugin by its name, and the plugin starts `node`: both are ours.
  const env = {
    ...process.env,
    PATH: [programs, process.env.PATH].join(delimiter),
    BUF_CACHE_DIR: join(folder, "cache"),
  };
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.resolve("@bufbuild/buf/bin/buf")), ...args],
    {
      cwd: HOME,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const said: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => {
      if (code === 0) return done();
      fail(new Error(`buf ${args[0]} ended with ${code}:\n${Buffer.concat(said).toString().trim()}`));
    });
  });
}
