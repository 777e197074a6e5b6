import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, statfsSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";

/** Where the parts of one attempt are; see the essay in attempts.ts. */
export interface Layout {
  /** On the disk. */
  readonly folder: string;
  readonly record: string;
  readonly out: string;
  readonly err: string;
  readonly work: string;
  readonly outputs: string;
  readonly heartbeat: string;
  /** In memory where the host has such a place, and otherwise beside the folder. */
  readonly files: string;
  readonly launch: string;
  readonly order: string;
  readonly stop: string;
  /** Emptied folders of attempts that are over. */
  readonly spares: string;
}

export function layoutOf(roots: Roots, name: string): Layout {
  const folder = `${roots.disk}/${name}`;
  const files = `${roots.memory}/${name}`;
  return {
    folder,
    record: `${folder}/record`,
    out: `${folder}/out`,
    err: `${folder}/err`,
    work: `${folder}/work`,
    outputs: `${folder}/outputs`,
    heartbeat: `${folder}/heartbeat`,
    files,
    launch: `${files}/launch`,
    order: `${files}/order`,
    stop: `${files}/stop`,
    spares: roots.spares,
  };
}

export interface Roots {
  /** Names this agent among others on the host, and is the same for its next process. */
  readonly agent: string;
  readonly disk: string;
  /** Beside it. */
  readonly spares: string;
  readonly memory: string;
  /** A file in memory: see guard.sh. */
  readonly lease: string;
}

/** Makes both. */
export function openRoots(given: string): Roots {
  // Bodies find their files from whatever working folder they have.
  const folder = resolve(given);
  const agent = `reeve-agent-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`;
  const disk = join(folder, "attempts");
  // Bodies may run as other users: they may pass, to their own files, and not look.
  mkdirSync(disk, { recursive: true, mode: 0o711 });
  chmodSync(disk, 0o711);
  const memory = memoryFolder(agent) ?? join(folder, "attempts-memory");
  mkdirSync(memory, { recursive: true, mode: 0o711 });
  const { uid, mode } = ownFolder(memory);
  if (uid !== userInfo().uid)
    throw new Error(`${memory} belongs to another user: remove it, then start the agent again`);
  if ((mode & 0o777) !== 0o711) chmodSync(memory, 0o711);
  return { agent, disk, spares: join(folder, "attempts-spare"), memory, lease: join(memory, "lease") };
}

/** Leaves nothing in the host's memory when nothing is held. */
export function closeRoots({ memory, lease }: Roots): void {
  try {
    if (readdirSync(memory).every((name) => join(memory, name) === lease)) rmSync(lease, { force: true });
    rmdirSync(memory);
  } catch {
    // Something is.
  }
}

const TMPFS = 0x01021994;

/** /dev/shm before /run: a full /run stops other services of the host. */
function memoryFolder(name: string): string | undefined {
  for (const place of ["/dev/shm", "/run"]) {
    try {
      if (statfsSync(place).type !== TMPFS) continue;
      mkdirSync(join(place, name), { recursive: true, mode: 0o711 });
      return join(place, name);
    } catch {
      // Not there, or not ours to write to.
    }
  }
  return undefined;
}

/** Not by following a link that somebody else may have put there: /dev/shm is open to all. */
function ownFolder(folder: string) {
  const found = lstatSync(folder);
  if (!found.isDirectory())
    throw new Error(`${folder} is not a folder: remove it, then start the agent again`);
  return found;
}
