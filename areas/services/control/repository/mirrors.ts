import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type GitAccess, GitFailed, type GitPlace, git, openAccess } from "@reeve/git";
import { hideText } from "@reeve/model";

/** Copies of repositories, as bare ones, in this replica's data folder: what is lost is fetched again. */
export interface Mirrors {
  /** Works with the copy of a repository, one after the other; what opens the original is there only meanwhile. */
  use<T>(uid: string, access: GitAccess, signal: AbortSignal, work: Work<T>): Promise<T>;
  /** Reads what is in the copy already; others may work with it meanwhile. */
  read<T>(uid: string, work: (place: GitPlace) => Promise<T>): Promise<T>;
  /** Removes the copies of those that are gone. */
  keepOnly(isThere: (uid: string) => Promise<boolean>): Promise<void>;
}

const mostMs = 2 * 60_000;
/** Of one repository, with its history. */
export const repositoryBytes = 512 * 1024 * 1024;
const readMs = 20_000;
const access = ".access-";

export function openMirrors(data: string): Mirrors {
  const root = join(data, "repositories");
  const turns = new Map<string, Promise<unknown>>();

  async function within<T>(uid: string, given: GitAccess, signal: AbortSignal, work: Work<T>): Promise<T> {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const secrets = await mkdtemp(join(root, access));
    try {
      const env = await openAccess(given, secrets, secrets);
      const cwd = join(root, uid);
      const place = { cwd, env, signal: AbortSignal.any([signal, AbortSignal.timeout(mostMs)]) };
      if (!(await stat(join(cwd, "HEAD")).catch(() => undefined))) await begin(place);
      return await work(place, secrets);
    } catch (error) {
      throw withoutSecrets(told(error), given);
    } finally {
      await rm(secrets, { recursive: true, force: true });
    }
  }

  return {
    use(uid, given, signal, work) {
      const turn = (turns.get(uid) ?? Promise.resolve()).then(() => within(uid, given, signal, work));
      const done = turn.catch(() => {}).finally(() => turns.get(uid) === done && turns.delete(uid));
      turns.set(uid, done);
      return turn;
    },
    read: (uid, work) =>
      work({ cwd: join(root, uid), env: {}, signal: AbortSignal.timeout(readMs) }).catch((error) => {
        throw told(error);
      }),
    async keepOnly(isThere) {
      for (const name of await readdir(root).catch(() => []))
        if (name.startsWith(access) || !(await isThere(name)))
          await rm(join(root, name), { recursive: true, force: true });
    },
  };
}

/** `scratch` is a folder that goes when it is done. */
type Work<T> = (place: GitPlace, scratch: string) => Promise<T>;

/** One that was broken off while it was made is made again. */
async function begin(place: GitPlace): Promise<void> {
  await rm(place.cwd, { recursive: true, force: true });
  await mkdir(place.cwd, { mode: 0o700 });
  await git({ ...place, args: ["init", "--quiet", "--bare", "--template="], mostBytes: 1024 });
}

function told(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code === "ENOENT")
    return new GitFailed("the program git is not installed on this server", null);
  if ((error as Error).name === "TimeoutError")
    return new GitFailed(`Git was not done within ${mostMs / 1000} s`, null);
  return error;
}

/** Git tells what the server said, and a server may repeat what it was told. */
function withoutSecrets(error: unknown, { password = "", privateKey = "" }: GitAccess): unknown {
  if (!(error instanceof GitFailed)) return error;
  return new GitFailed(hideText(error.message, [password, privateKey]), error.exitCode);
}
