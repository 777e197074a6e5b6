import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface GitAccess {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly knownHosts?: string | undefined;
  readonly ca?: string | undefined;
}

/** Git asks this program; what it answers stands in the environment, which is nobody else's to read. */
const askpass = `#!/bin/sh
case "$1" in
  Username*) printf '%s\\n' "$REEVE_GIT_USER" ;;
  *) printf '%s\\n' "$REEVE_GIT_PASSWORD" ;;
esac
`;

const ssh = `#!/bin/sh
exec ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile="$REEVE_GIT_KNOWN_HOSTS" \\
  -o GlobalKnownHostsFile=/dev/null -o IdentitiesOnly=yes -o IdentityFile="$REEVE_GIT_KEY" -o ConnectTimeout=30 "$@"
`;

/**
 * The environment that lets Git in, without a credential in any argument or setting. `folder` is for programs; `secrets` for files
 * that hold something, in memory where the host has such a place.
 */
export async function openAccess(
  access: GitAccess,
  folder: string,
  secrets: string,
): Promise<Record<string, string>> {
  const { user = "", password = "", privateKey, knownHosts, ca } = access;
  const files = {
    askpass: join(folder, "askpass"),
    ssh: join(folder, "ssh"),
    key: join(secrets, "key"),
    knownHosts: join(secrets, "known-hosts"),
    ca: join(secrets, "ca"),
  };
  await mkdir(secrets, { recursive: true, mode: 0o700 });
  await writeFile(files.askpass, askpass, { mode: 0o700 });
  await writeFile(files.ssh, ssh, { mode: 0o700 });
  await writeFile(files.knownHosts, knownHosts ?? "", { mode: 0o600 });
  // A key without its last line break is none to ssh.
  if (privateKey !== undefined) await writeFile(files.key, `${privateKey.trimEnd()}\n`, { mode: 0o600 });
  if (ca !== undefined) await writeFile(files.ca, ca, { mode: 0o600 });
  return {
    GIT_ASKPASS: files.askpass,
    GIT_SSH: files.ssh,
    GIT_SSH_VARIANT: "ssh",
    REEVE_GIT_USER: user || "git",
    REEVE_GIT_PASSWORD: password,
    REEVE_GIT_KEY: files.key,
    REEVE_GIT_KNOWN_HOSTS: files.knownHosts,
    ...(ca === undefined ? {} : { GIT_SSL_CAINFO: files.ca }),
  };
}
