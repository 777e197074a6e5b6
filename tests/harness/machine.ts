import { execFileSync } from "node:child_process";
import { createWriteStream, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { kernelFolder } from "../../tools/components.ts";
import type { Bench } from "./bench.ts";
import { bareEnvironment, type Running, run } from "./processes.ts";

/** What a machine finds on its disk: a path, and whose content it has. */
export interface MachineFile {
  readonly path: string;
  readonly content: string | Buffer;
  /** A plain file when left out. */
  readonly as?: "program" | "link";
}

/** From within, this process's own loopback. */
export const hostAddress = "10.0.2.2";

const memoryMb = 1024;
const applets =
  "cat chmod cut grep head ifconfig insmod kill ls mkdir mount mv poweroff rm route sed setsid sleep touch tr".split(
    " ",
  );
const modules = [
  ...["virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci"],
  ...["failover", "net_failover", "virtio_net"],
];

/**
 * A machine of a test's own, with a kernel of its own: for what this machine's kernel does otherwise. It has this machine's Node, a
 * shell, busybox and control groups of version 2, everything in memory, and does what the script says. Needs the component `machine`.
 */
export async function startMachine(
  bench: Bench,
  files: readonly MachineFile[],
  script: string,
): Promise<Running> {
  const folder = bench.folder("reeve-machine-");
  const disk = join(folder, "disk");
  await writeArchive(disk, [...system(), ...files, { path: "init", content: init(script), as: "program" }]);
  const running = run("qemu-system-x86_64", argumentsFor(disk), { cwd: folder, env: bareEnvironment });
  bench.keep({
    killNow: () => running.kill("SIGKILL"),
    async end() {
      running.kill("SIGKILL");
      await running.ended;
    },
  });
  return running;
}

function argumentsFor(disk: string): string[] {
  return [
    ...["-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", String(memoryMb), "-no-reboot"],
    ...["-display", "none", "-monitor", "none", "-serial", "stdio"],
    ...["-kernel", join(kernelFolder, "vmlinuz"), "-initrd", disk, "-append", "console=ttyS0 quiet panic=-1"],
    ...["-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net,romfile="],
  ];
}

function init(script: string): string {
  return `#!/bin/sh
export PATH=/bin HOME=/root
mount -t devtmpfs dev /dev; mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs run /run
mkdir -p /dev/shm /tmp; mount -t tmpfs shm /dev/shm; mount -t cgroup2 cgroup2 /sys/fs/cgroup
for module in ${modules.join(" ")}; do insmod /lib/$module.ko; done
ifconfig lo 127.0.0.1; ifconfig eth0 10.0.2.15; route add default gw ${hostAddress}
${script}
poweroff -f
`;
}

function system(): MachineFile[] {
  const program = (path: string, from: string) =>
    ({ path, content: readFileSync(from), as: "program" }) as const;
  return [
    ...["dev", "proc", "root", "run", "sys", "tmp"].map((path) => ({ path: `${path}/.keep`, content: "" })),
    ...modules.map((name) => program(`lib/${name}.ko`, join(kernelFolder, `${name}.ko`))),
    { path: "etc/passwd", content: "root:x:0:0:root:/root:/bin/sh\n" },
    program("bin/sh", realpathSync("/bin/sh")),
    ...applets.map((name) => ({ path: `bin/${name}`, content: "busybox", as: "link" }) as const),
    program("bin/busybox", "/bin/busybox"),
    program("bin/node", process.execPath),
    ...[...librariesOf("/bin/sh", process.execPath)].map((file) => program(file.slice(1), file)),
  ];
}

/** With the loader, by the paths under which programs look for them. */
function librariesOf(...programs: string[]): Set<string> {
  const told = execFileSync("ldd", programs, { encoding: "utf8" });
  return new Set([...told.matchAll(/(\/\S+) \(0x/g)].map(([, file]) => file as string));
}

const modes = { folder: 0o040755, link: 0o120777, plain: 0o100644, program: 0o100755 };

/** In the form in which Linux takes its first disk: "newc" in cpio(5). */
async function writeArchive(to: string, files: readonly MachineFile[]): Promise<void> {
  await pipeline(function* () {
    const folders = new Set<string>();
    let inode = 1;
    for (const { path, content, as = "plain" } of files) {
      for (const folder of foldersAbove(path)) {
        if (folders.has(folder)) continue;
        folders.add(folder);
        yield entry(folder, modes.folder, inode++, "");
      }
      yield entry(path, modes[as], inode++, content);
    }
    yield entry("TRAILER!!!", 0, 0, "");
  }, createWriteStream(to));
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

function entry(name: string, mode: number, inode: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const numbers = [inode, mode, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, 0];
  const head = `070701${numbers.map((one) => one.toString(16).padStart(8, "0")).join("")}${name}\0`;
  return Buffer.concat([padded(Buffer.from(head)), padded(bytes)]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
