import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** How a client reaches a server of ssh that only its key opens. */
export interface TestSsh {
  urlOf(folder: string): string;
  readonly privateKey: string;
  readonly knownHosts: string;
}

/** A real sshd on the loopback, with keys of its own; needs root, as every sshd that lets others in. */
export async function serveSsh(keep: (end: () => void) => void): Promise<TestSsh> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-sshd-"));
  keep(() => rmSync(folder, { recursive: true, force: true }));
  const makeKey = (name: string) =>
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(folder, name)]);
  makeKey("host");
  makeKey("client");
  const publicKey = (name: string) => readFileSync(join(folder, `${name}.pub`), "utf8").trim();
  writeFileSync(join(folder, "authorized"), `${publicKey("client")}\n`, { mode: 0o600 });
  const port = await freePort();
  const settings = [
    "ListenAddress 127.0.0.1",
    `Port ${port}`,
    `HostKey ${join(folder, "host")}`,
    `AuthorizedKeysFile ${join(folder, "authorized")}`,
    "PidFile none",
    "StrictModes no",
    "UsePAM no",
    "PermitRootLogin prohibit-password",
    "PasswordAuthentication no",
  ];
  writeFileSync(join(folder, "config"), `${settings.join("\n")}\n`);
  // Debian's sshd wants to see it; where there is an init system, that makes it.
  mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const child = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", join(folder, "config")], { stdio: "ignore" });
  keep(() => void child.kill("SIGKILL"));
  await answers(port);
  return {
    urlOf: (path) => `ssh://root@127.0.0.1:${port}${path}`,
    privateKey: readFileSync(join(folder, "client"), "utf8"),
    knownHosts: `[127.0.0.1]:${port} ${publicKey("host")}\n`,
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const socket = connect(port, "127.0.0.1");
    const there = await new Promise<boolean>((resolve) => {
      socket.on("data", () => resolve(true)).on("error", () => resolve(false));
    });
    socket.destroy();
    if (there) return;
    await pause(100);
  }
  throw new Error("sshd does not answer");
}
