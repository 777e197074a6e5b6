/**
 * Real components that some suites run against and that a machine may lack. A suite declares what it needs:
 *
 *   describe("watch over a system PostgreSQL", needs("postgresql"), () => { … });
 *
 * Where the component is missing the suite is not run, and `npm test` ends by naming it and the command that
 * provides it; in CI it counts as failed. Adding a component is one entry here and its package in .ci/run.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Component {
  /** Is it here and usable? Asked once per test file, so it must be quick. */
  probe(): boolean;
  /** The command that provides it, as a person would type it. */
  provide: string;
}

/** The browser that pages are tried in. */
export const chromium = "/usr/bin/chromium";

/** Where .ci/kernel puts a kernel and what it needs. */
export const kernelFolder = "/usr/local/lib/reeve-kernel";

export const components = {
  postgresql: { probe: () => systemPostgres() !== undefined, provide: "apt-get install -y postgresql" },
  chromium: { probe: () => existsSync(chromium), provide: "apt-get install -y chromium" },
  /** Reads and rates a unit without an init system; the agent's is tried with it. */
  systemd: {
    probe: () => existsSync("/usr/bin/systemd-analyze"),
    provide: "apt-get install -y systemd",
  },
  python: { probe: () => runs("python3"), provide: "apt-get install -y python3" },
  /** What Sources fetch from, and with. */
  git: { probe: () => runs("git"), provide: "apt-get install -y git" },
  /** What Git reaches repositories by, with a key; only root may start one that lets others in. */
  sshd: {
    probe: () => existsSync("/usr/sbin/sshd") && process.getuid?.() === 0,
    provide: "apt-get install -y openssh-server",
  },
  /** A small file system of one's own, for a disk that gets full: the program, and the right to use it (root). */
  rootMount: { probe: mayMount, provide: "apt-get install -y mount" },
  /** Networks of one's own, to lose packets in: the program, and the right to use it (root). */
  namespaces: { probe: mayHaveNamespaces, provide: "apt-get install -y iproute2" },
  /** What the clock that can be set is made with (tests/harness/skewed-clock.c). */
  compiler: { probe: () => runs("cc"), provide: "apt-get install -y gcc libc6-dev" },
  /** Engines of one's own, with a current Compose, and what images are made of without a registry. */
  docker: {
    probe: () =>
      existsSync("/usr/sbin/dockerd") && existsSync("/bin/busybox") && mayHaveNamespaces() && compose(2),
    provide: "apt-get install -y docker.io iptables iproute2 busybox-static && .ci/compose",
  },
  /** Machines with a kernel of their own, which has what this one's may lack: control groups of version 2. */
  machine: {
    probe: () =>
      existsSync("/usr/bin/qemu-system-x86_64") &&
      existsSync(join(kernelFolder, "vmlinuz")) &&
      existsSync("/bin/busybox"),
    provide: "apt-get install -y --no-install-recommends qemu-system-x86 busybox-static && .ci/kernel",
  },
  /** The Compose before the current one, which many machines still have. */
  composeV1: { probe: () => compose(1), provide: "apt-get install -y docker-compose" },
} as const satisfies Record<string, Component>;

export type ComponentName = keyof typeof components;

declare module "vitest" {
  interface TaskMeta {
    /** Set by `needs` where a suite could not be run; a skipped test without it has no excuse. */
    missing?: ComponentName[];
  }
}

/** Options for `describe` or `test`: skip where a component is missing, and leave a record of which. */
export function needs(...names: ComponentName[]): { skip: boolean; meta: { missing?: ComponentName[] } } {
  const missing = names.filter((name) => !isPresent(name));
  return missing.length > 0 ? { skip: true, meta: { missing } } : { skip: false, meta: {} };
}

const answers = new Map<ComponentName, boolean>();

/** For what is only a part of a suite, and whose absence a suite of its own reports. */
export function isPresent(name: ComponentName): boolean {
  const answer = answers.get(name) ?? components[name].probe();
  answers.set(name, answer);
  return answer;
}

function runs(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

/** Only trying tells: root in a container may not. */
function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "reeve-mount-"));
  const mounted = spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]).status === 0;
  if (mounted) spawnSync("/bin/umount", [folder]);
  rmdirSync(folder);
  return mounted;
}

function mayHaveNamespaces(): boolean {
  const name = `reeve-${process.pid}-probe`;
  if (spawnSync("ip", ["netns", "add", name]).status !== 0) return false;
  const cable = ["-n", name, "link", "add", "cable", "type", "veth", "peer", "name", "other"];
  const may = spawnSync("ip", cable).status === 0;
  spawnSync("ip", ["netns", "delete", name]);
  return may;
}

function compose(major: 1 | 2): boolean {
  const [program, ...args] = major === 1 ? ["docker-compose", "version"] : ["docker", "compose", "version"];
  const { stdout } = spawnSync(program, [...args, "--short"], { encoding: "utf8" });
  return stdout?.trim().startsWith(`${major}.`) ?? false;
}

/** The oldest PostgreSQL that Reeve supports. */
const OLDEST_POSTGRES = 14;

/** The folder with initdb, pg_ctl and postgres of the newest system installation; Debian keeps one per major. */
export function systemPostgres(root = "/usr/lib/postgresql"): string | undefined {
  const majors = globSync("*/bin/postgres", { cwd: root }).map((file) => Number.parseInt(file, 10));
  const newest = Math.max(...majors.filter((major) => major >= OLDEST_POSTGRES));
  const bin = `${root}/${newest}/bin`;
  return existsSync(`${bin}/initdb`) ? bin : undefined;
}
