/**
 * One installer at a time, also between processes, and never a wait for a holder that has died.
 * The lock is a symbolic link whose target names its holder: made in one system call, so there is no moment
 * in which it exists without a name. A process is named by its pid and start time, because pids come back
 * (in a container they are nearly always the same few).
 */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long one takeover of a dead holder's lock may last; it is two system calls. */
const TAKEOVER_MS = 5_000;

export async function withLock(file, work) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await acquire(file);
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

async function acquire(file) {
  let told = false;
  while (!tryLink(file)) {
    const holder = readHolder(file);
    if (holder === undefined) continue;
    if (!alive(holder)) removeDead(file, holder);
    else if (!told) {
      told = true;
      process.stderr.write(
        `reeve: waiting for process ${holder.split(":")[0]}, which is installing the dependencies\n`,
      );
    }
    await sleep(100);
  }
}

/** Of several waiters that see the same dead holder only one removes it, and only after looking again. */
function removeDead(file, holder) {
  const takeover = `${file}.takeover`;
  if (!tryLink(takeover)) {
    const age = Date.now() - (fs.lstatSync(takeover, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > TAKEOVER_MS) fs.rmSync(takeover, { force: true });
    return;
  }
  if (readHolder(file) === holder) fs.rmSync(file, { force: true });
  fs.rmSync(takeover, { force: true });
}

function tryLink(file) {
  try {
    fs.symlinkSync(nameOf(process.pid), file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function readHolder(file) {
  try {
    return fs.readlinkSync(file);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function alive(holder) {
  return nameOf(Number(holder.split(":")[0])) === holder;
}

function nameOf(pid) {
  return `${pid}:${startedAt(pid)}`;
}

function startedAt(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name and may hold spaces and brackets; the start time is the 22nd.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return answers(pid) ? "running" : "gone"; // no /proc: the pid alone must do
  }
}

function answers(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
