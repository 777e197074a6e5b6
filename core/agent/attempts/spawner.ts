/**
 * The process that starts shims, and touches the disk for it. Spawning slows with the memory of the process that does it (1,100 a
 * second at 45 MB, 277 at 156 MB), so this one imports nothing but Node and holds nothing. When it dies, what it started runs on:
 * the agent starts another and watches those itself.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Layout } from "./layout.ts";

export type ToSpawner =
  | ({ readonly does: "start"; readonly name: string } & Launch)
  | { readonly does: "remove"; readonly layout: Layout };

export interface Launch {
  readonly layout: Layout;
  readonly about: string;
  readonly umask: string;
  /** Of control groups, for the body to join. */
  readonly groups: readonly string[];
  /** Of an exclusive attempt: what its guard reads. */
  readonly lease: string;
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
const agent = process.ppid;
process.on("message", (messages: ToSpawner[]) => {
  for (const message of messages) {
    // It was killed, and we have not heard of it yet: its next process may be looking already for what has begun.
    if (process.ppid !== agent) process.exit();
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
    prepare(launch);
    const child = takeShim(launch.layout.launch);
    child.on("error", (error) => refuse(name, error));
    if (child.pid === undefined) return;
    running++;
    tell({ does: "started", name, pid: child.pid });
    child.on("exit", (code) => {
      running--;
      tell({ does: "exited", name, code });
      setImmediate(startAhead);
    });
  } catch (error) {
    refuse(name, error as Error);
  }
}

const shimFile = fileURLToPath(import.meta.resolve("./shim.sh"));
let running = 0;
/** Waits for its attempt, so that the next step of a chain need not wait for it: half of what a short step takes is to start its shim. */
let ahead: ChildProcess | undefined;

function takeShim(launch: string): ChildProcess {
  const child = ahead;
  ahead = undefined;
  if (!child) return startShim("ignore", launch);
  child.stdin?.end(`${launch}\n`);
  return child;
}

function startShim(stdin: "pipe" | "ignore", ...args: string[]): ChildProcess {
  return spawn("/bin/sh", [shimFile, ...args], {
    detached: true,
    stdio: [stdin, "ignore", "ignore"],
    env: {},
    cwd: "/",
  });
}

/** Not beside others: with many at once no processor waits, and what counts is what they take. */
function startAhead(): void {
  if (ahead || running > 0) return;
  try {
    const child = startShim("pipe");
    const over = () => {
      if (ahead === child) ahead = undefined;
    };
    child.on("error", over);
    child.on("exit", over);
    // It was killed while it waited: its exit tells.
    child.stdin?.on("error", () => {});
    if (child.pid !== undefined) ahead = child;
  } catch {
    // Whoever needs one hears why there is none.
  }
}

function refuse(name: string, error: NodeJS.ErrnoException): void {
  tell({ does: "refused", name, code: error.code ?? error.message, path: error.path ?? "" });
}

/** Everything that the shim and the body find; each file made costs as much as some of the shim's own work, so few are. */
function prepare(launch: Launch): void {
  const { layout, files, order, owner, cwd } = launch;
  const text = launchText(launch);
  makeFolder(layout.folder);
  mkdirSync(layout.work, { mode: 0o700 });
  mkdirSync(layout.files, { mode: 0o700 });
  if (order !== undefined) write(layout.order, order);
  for (const [name, text] of Object.entries(files)) write(`${layout.files}/${name}`, text);
  write(layout.launch, text);
  if (owner) give(layout, Object.keys(files), owner);
  if (cwd === layout.work) return;
  if (!statSync(cwd).isDirectory()) throw because("ENOTDIR", cwd);
  accessSync(cwd, constants.X_OK);
}

/** What the kernel takes of a command and its environment: so much of each text, and a quarter of the usual stack of all. */
const mostOfText = 128 * 1024;
const mostOfAll = 2 * 1024 * 1024;

/** What the shim reads: see there. */
function launchText({ layout, about, umask, groups, lease, cwd, argv, env }: Launch): string {
  const { record, stop, out, err } = layout;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const texts = [...argv, ...variables];
  if (texts.some((text) => text.includes("\0"))) throw because("ERR_INVALID_ARG_VALUE");
  const sizes = texts.map((text) => Buffer.byteLength(text) + 1);
  if (sizes.some((size) => size > mostOfText) || sizes.reduce((sum, size) => sum + size, 0) > mostOfAll)
    throw because("E2BIG");
  const args = [record, about, umask, groups.join(" "), lease, stop, out, err, cwd, ...argv];
  // By `command` and each alone: one that the shell keeps for itself (UID, OPTIND) must neither end it nor keep others out.
  const exports = variables.map((variable) => `command export ${quoted(variable)}\n`).join("");
  return `set -- ${args.map(quoted).join(" ")}\nvariables() {\n${exports}}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function because(code: string, path = ""): Error {
  return Object.assign(new Error(code), { code, path });
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
  for (const file of [out, err, outputs, heartbeat]) writeFileSync(file, "", { mode: 0o600, flag: "a" });
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
