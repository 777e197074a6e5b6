/**
 * Runs within the namespaces of one engine (docker.ts) for as long as its test does: starts and kills dockerd, fetches
 * from its network. When the test is over or dead, everything in here ends with it and leaves nothing behind.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startRegistry } from "./registry.ts";

export type Order = { id: number } & (
  | { do: "start" }
  | { do: "kill" }
  | { do: "get"; port: number; path: string }
  | { do: "registry"; port: number; user: string; password: string }
);
export type Answer = { id: number; text?: string; error?: string };

const [folder = "", cgroup = ""] = process.argv.slice(2);
let dockerd: ChildProcess | undefined;

// Data in memory is quick and goes with the namespace; so do the sockets and keys that have no option to move them.
for (const place of ["/run", "/etc/docker"]) must("mount", "-t", "tmpfs", "tmpfs", place);
must("ip", "link", "set", "lo", "up");

process.on("message", (order: Order) => {
  obey(order).then(
    (text) => answer({ id: order.id, text }),
    (error: Error) => answer({ id: order.id, error: error.message }),
  );
});
process.on("disconnect", leave);

function answer(answer: Answer): void {
  if (process.connected) process.send?.(answer);
}

async function obey(order: Order): Promise<string | undefined> {
  if (order.do === "start") return start();
  if (order.do === "kill") return kill();
  if (order.do === "registry") return void (await startRegistry(order.port, order.user, order.password));
  const response = await fetch(`http://127.0.0.1:${order.port}${order.path}`, {
    headers: { connection: "close" },
    signal: AbortSignal.timeout(5000),
  });
  return response.text();
}

async function start(): Promise<undefined> {
  if (dockerd !== undefined) return;
  dockerd = spawn(
    "dockerd",
    [
      ...["--host", `unix://${join(folder, "docker.sock")}`, "--pidfile", "/run/dockerd.pid"],
      ...["--data-root", "/run/data", "--exec-root", "/run/exec", "--cgroup-parent", `/${cgroup}`],
      ...["--log-level", "warn"],
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  dockerd.once("exit", () => {
    dockerd = undefined;
  });
}

async function kill(): Promise<undefined> {
  if (dockerd === undefined) return;
  dockerd.kill("SIGKILL");
  await once(dockerd, "exit");
}

async function leave(): Promise<void> {
  // All of this namespace but ourselves and its first process.
  process.kill(-1, "SIGKILL");
  rmSync(folder, { recursive: true, force: true });
  const deadline = Date.now() + 10_000;
  while (!removeGroups() && Date.now() < deadline) await sleep(20);
  process.exit();
}

/** False while some are still in use: the dead leave them a moment later. */
function removeGroups(): boolean {
  const groups = globSync(`/sys/fs/cgroup/{,*/}${cgroup}`);
  const within = groups.flatMap((group) =>
    readdirSync(group, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  try {
    for (const group of [...groups, ...within].sort().reverse()) rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}

function must(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
}
