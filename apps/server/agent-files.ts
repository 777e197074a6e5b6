import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AgentFiles } from "@reeve/control";
import { Fault } from "@reeve/model";

export interface AgentFilesOptions {
  readonly version: string;
  /** Where people reach this server, when it is told; else where the one who asks has reached it. */
  readonly publicUrl: string | undefined;
  readonly secure: boolean;
  /** Where agents do, when it is told; else on this port of the same host. */
  readonly agentUrls: string | undefined;
  readonly agentPort: () => number;
}

interface Bundle {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly node: { readonly sha256: string; readonly bytes: number };
}

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const platform = `${process.platform}-${process.arch}`;
/** What a `Host` may look like; it ends up in a shell script. */
const hostForm = /^([a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(:\d+)?$/;

/** The agent for other machines, bundled when the first one asks for it and kept in memory: some 300 KB, and our own Node. */
export function openAgentFiles(options: AgentFilesOptions): AgentFiles {
  let bundle: Promise<Bundle> | undefined;
  const bundled = () => {
    bundle ??= makeBundle().catch((error: unknown) => {
      bundle = undefined;
      throw error;
    });
    return bundle;
  };
  return {
    async script(host) {
      const { files, node } = await bundled();
      const { base, agents } = addressesFor(options, host);
      const sums = [...files].map(([name, content]) => `${sha256(content)}  ${name}`);
      const values: Record<string, string> = {
        VERSION: options.version,
        BASE: base,
        AGENTS: agents,
        CHECKSUMS: sums.join("\n"),
        NODE_PLATFORM: platform,
        NODE_SHA256: node.sha256,
      };
      const script = await readFile(join(root, "deploy/agent/install.sh"), "utf8");
      return script.replaceAll(/@([A-Z0-9_]+)@/g, (mark, name: string) => values[name] ?? mark);
    },
    async open(name) {
      const { files, node } = await bundled();
      if (name === "node") return { bytes: node.bytes, content: createReadStream(process.execPath) };
      const content = files.get(name);
      return content && { bytes: content.length, content };
    },
  };
}

function addressesFor(options: AgentFilesOptions, host: string): { base: string; agents: string } {
  if (options.publicUrl === undefined && !hostForm.test(host))
    throw new Fault("invalid", "the request does not say under which name it reached the server", {
      next: "set REEVE_PUBLIC_URL on the server",
    });
  const base = options.publicUrl?.replace(/\/$/, "") ?? `${options.secure ? "https" : "http"}://${host}`;
  return { base, agents: options.agentUrls ?? `https://${new URL(base).hostname}:${options.agentPort()}` };
}

async function makeBundle(): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "reeve-agent-bundle-"));
  try {
    // In a process of its own: the bundler is larger than the server.
    await run(process.execPath, [join(root, "apps/agent/bundle.ts"), folder]);
    const files = new Map<string, Buffer>();
    for (const name of await readdir(folder)) files.set(name, await readFile(join(folder, name)));
    for (const name of ["reeve-agent.service", "root.conf"])
      files.set(name, await readFile(join(root, "deploy/agent", name)));
    return {
      files,
      node: { sha256: await sha256OfFile(process.execPath), bytes: (await stat(process.execPath)).size },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
