import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { Fault } from "@reeve/model/fault";

const run = promisify(execFile);

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** The user that a body asked for, or undefined when it is the agent's own. By getent, as not all users are in /etc/passwd. */
export async function findAccount(user: string): Promise<Account | undefined> {
  const own = userInfo();
  if (user === own.username || user === String(own.uid)) return undefined;
  if (own.uid !== 0) {
    throw new Fault("precondition", `the agent runs as ${own.username} and cannot become ${user}`, {
      next: "run the agent as root, or leave `user` out",
    });
  }
  const line = await run("getent", ["passwd", "--", user]).then(
    ({ stdout }) => stdout,
    () => "",
  );
  const [name, , uid, gid, , home] = line.trim().split(":");
  if (!name || !home) throw new Fault("precondition", `there is no user ${user} on this host`);
  return { name, uid: Number(uid), gid: Number(gid), home };
}

/** The user must be able to go to its own files. */
export function checkPassable(folder: string, { name }: Account): void {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if ((statSync(at).mode & 0o001) !== 0) continue;
    throw new Fault("precondition", `the user ${name} cannot reach its working folder on this host`, {
      next: `on the host: chmod o+x ${at}`,
    });
  }
}

/** Not su or sudo: they have opinions of their own about the environment, sessions and logs. */
export function asAccount(setpriv: string, account: Account, argv: readonly string[]): string[] {
  return [setpriv, `--reuid=${account.uid}`, `--regid=${account.gid}`, "--init-groups", "--", ...argv];
}
