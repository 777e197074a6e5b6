/**
 * The process that starts shims, and touches the disk for it. Spawning slows with the memory of the process that does it (1,100 a
 * second at 45 MB, 277 at 156 MB), so this one imports nothing but Node and holds nothing. When it dies, what it started runs on:
 * the agent starts another and watches those itself.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import type { Layout } from "./layout.ts";

export type ToSpawner =
  | ({ readonly does: "start"; readonly name: string } & Launch)
  | { readonly does: "remove"; readonly layout: Layout };

export interface Launch {
  readonly layout: Layout;
  /** The shim's, before the command. */
  readonly shim: readonly string[];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly files: Readonly<Record<string, string>>;
  /** Kept by us alone, for the next agent process; absent when it says nothing. */
  readonly order?: string;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

export type FromSpawner =
  | { readonly does: "started"; readonly name: string; readonly pid: number }
  /** Nothing runs. */
  | { readonly does: "refused"; readonly name: string; readonly code: string; readonly path: string }
  | { readonly does: "exited"; readonly name: string; readonly code: number | null };

// Folders are made with the modes that are written here, whatever the agent's own mask is.
process.umask(0o022);
// Without an agent there is nobody to start things for; what runs needs no spawner.
process.on("disconnect", () => process.exit());
process.on("message", (messages: ToSpawner[]) => {
  for (const message of messages) {
    if (message.does === "start") start(message);
    else remove(message.layout);
  }
});

/** Messages of one turn of the loop go together. */
let waiting: FromSpawner[] = [];

function tell(message: FromSpawner): void {
  if (waiting.push(message) > 1) return;
  setImmediate(() => {
    const messages = waiting;
    waiting = [];
    process.send?.(messages);
  });
}

function start({ name, ...launch }: Launch & { name: string }): void {
  try {
    const [out, err] = prepare(launch);
    const child = spawn("/bin/sh", [...launch.shim, ...launch.argv], {
      detached: true,
      stdio: ["ignore", out, err],
      env: launch.env,
      cwd: launch.cwd,
    });
    closeSync(out);
    closeSync(err);
    child.on("error", (error) => refuse(name, error));
    if (child.pid === undefined) return;
    tell({ does: "started", name, pid: child.pid });
    child.on("exit", (code) => tell({ does: "exited", name, code }));
  } catch (error) {
    refuse(name, error as Error);
  }
}

function refuse(name: string, error: NodeJS.ErrnoException): void {
  tell({ does: "refused", name, code: error.code ?? error.message, path: error.path ?? "" });
}

/** Everything that the shim and the body find; each file made costs as much as some of the shim's own work, so few are. */
function prepare({ layout, files, order, owner, cwd }: Launch): [number, number] {
  makeFolder(layout.folder);
  mkdirSync(layout.work, { mode: 0o700 });
  mkdirSync(layout.files, { mode: 0o700 });
  if (order !== undefined) writeFileSync(layout.order, order, { mode: 0o600 });
  for (const [name, text] of Object.entries(files)) write(`${layout.files}/${name}`, text);
  // Appending, so that what was shipped can be cut off.
  const streams = [layout.out, layout.err].map((file) => openSync(file, "a", 0o600)) as [number, number];
  if (owner) give(layout, Object.keys(files), owner);
  if (!statSync(cwd).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR", path: cwd });
  return streams;
}

/**
 * Emptied folders of attempts that are over. To make one and to remove it takes ten times as long as to give it another name. No
 * working folder is among them: what a body left running may still be in it.
 */
const spares: string[] = [];
const mostSpares = 32;
let spared = 0;

function makeFolder(folder: string): void {
  const spare = spares.pop();
  try {
    if (spare === undefined) mkdirSync(folder, { recursive: true, mode: 0o711 });
    else renameSync(spare, folder);
  } catch (error) {
    if (spare === undefined) throw error;
    // Its executor has made it already, or somebody has removed the spare one.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") spares.push(spare);
    mkdirSync(folder, { recursive: true, mode: 0o711 });
  }
}

function spareFolder({ folder, spares: place }: Layout): void {
  if (spares.length === mostSpares) {
    rmdirSync(folder);
    return;
  }
  if (spared === 0) mkdirSync(place, { recursive: true, mode: 0o700 });
  const spare = `${place}/${process.pid}-${spared++}`;
  renameSync(folder, spare);
  spares.push(spare);
}

function write(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
}

/** To a body that runs as another user: what it reads and writes, and nothing of ours. */
function give(layout: Layout, files: readonly string[], { uid, gid }: { uid: number; gid: number }): void {
  const { work, out, err, outputs, heartbeat } = layout;
  for (const file of [outputs, heartbeat]) write(file, "");
  for (const file of [work, out, err, outputs, heartbeat]) chownSync(file, uid, gid);
  for (const name of files) chownSync(`${layout.files}/${name}`, uid, gid);
  chmodSync(layout.files, 0o711);
}

/** What most bodies leave goes here and now, as that takes less than to ask another thread for it; the rest goes there. */
function remove(layout: Layout): void {
  const { folder, files, work } = layout;
  try {
    rmdirSync(work);
    for (const place of [folder, files])
      for (const name of readdirSync(place)) unlinkSync(`${place}/${name}`);
    rmdirSync(files);
    spareFolder(layout);
  } catch {
    // Whoever still writes there makes it fail, so it is tried again; what stays is found by the next process of the agent.
    for (const left of [folder, files])
      rm(left, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }).catch(() => {});
  }
}
