import { join } from "node:path";
import type { ActionHandler, ActionRequest, OpenSecrets } from "@reeve/control";
import { fetchTip, GitFailed, type GitPlace, git, listTree, readFiles, refName, remoteTip } from "@reeve/git";
import { Fault } from "@reeve/model";
import type { RepositorySpec } from "../../kinds/index.ts";
import { type Opened, openRepository } from "./access.ts";
import { type Mirrors, repositoryBytes } from "./mirrors.ts";

interface Writing {
  readonly base: string;
  readonly message: string;
  readonly files: Readonly<Record<string, string | null>>;
}

const pushMs = 60_000;
const talkBytes = 4 * 1024 * 1024;

/** Commits a change as the person who asks, upon the revision that they have seen, and pushes it. */
export function writeTo(mirrors: Mirrors, openSecrets: OpenSecrets): ActionHandler {
  return async ({ resource, caller, input }, tools) => {
    const wanted = input as Writing;
    refuseOutside(wanted, (resource.spec as unknown as RepositorySpec).git);
    const opened = await openRepository(tools, openSecrets, resource);
    const push = () =>
      mirrors.use(resource.metadata.uid, opened, AbortSignal.timeout(pushMs), (mirror, scratch) =>
        commit(mirror, { scratch, opened, wanted, caller }),
      );
    return {
      // Files may hold what only the repository is to keep.
      detail: { base: wanted.base, message: wanted.message, files: Object.keys(wanted.files) },
      output: () => null,
      async outside() {
        const revision = await push().catch((error: unknown) => {
          if (!(error instanceof GitFailed)) throw error;
          throw new Fault("precondition", `it was not pushed: ${error.message}`, {
            next: "see what the repository says, and try again",
          });
        });
        return {
          change: (now) => ({ ...now, status: { ...now.status, pushedAt: new Date().toISOString() } }),
          detail: { revision },
          output: () => ({ revision }),
        };
      },
    };
  };
}

function refuseOutside({ files }: Writing, { ref, path }: RepositorySpec["git"]): void {
  if (ref === undefined || ref.startsWith("tag:"))
    throw new Fault("precondition", "only a branch can be written to, and the repository names none", {
      next: "set `git.ref` to a branch",
    });
  const outside = Object.keys(files).find((file) => path !== undefined && !file.startsWith(`${path}/`));
  if (outside !== undefined)
    throw new Fault(
      "invalid",
      `/files: ${outside} is not in ${path}, which is all that this Repository is of`,
    );
}

interface Committing extends Pick<ActionRequest, "caller"> {
  readonly scratch: string;
  readonly opened: Opened;
  readonly wanted: Writing;
}

async function commit(mirror: GitPlace, { scratch, opened, wanted, caller }: Committing): Promise<string> {
  const { base, message, files } = wanted;
  const { name } = caller.subject;
  const tip = await remoteTip(mirror, opened);
  await fetchTip(mirror, { ...opened, shallow: false, mostBytes: repositoryBytes });
  if (await holds(mirror, tip, files)) return tip;
  if (tip !== base) throw conflict(base, tip);
  const person = { NAME: name, EMAIL: `${name}@reeve.invalid` };
  const place = {
    ...mirror,
    env: {
      ...mirror.env,
      GIT_INDEX_FILE: join(scratch, "index"),
      ...Object.fromEntries(
        Object.entries(person).flatMap(([key, value]) => [
          [`GIT_AUTHOR_${key}`, value],
          [`GIT_COMMITTER_${key}`, value],
        ]),
      ),
    },
  };
  const ask = async (args: readonly string[], stdin = "") =>
    (await git({ ...place, args, stdin, mostBytes: talkBytes })).toString("utf8").trim();
  await ask(["read-tree", tip]);
  const lines = await Promise.all(
    Object.entries(files).map(async ([path, text]) =>
      text === null
        ? `0 ${"0".repeat(tip.length)}\t${path}\0`
        : `${text.startsWith("#!") ? "100755" : "100644"} ${await ask(["hash-object", "-w", "--stdin"], text)}\t${path}\0`,
    ),
  );
  await ask(["update-index", "-z", "--index-info"], lines.join(""));
  const revision = await ask(["commit-tree", await ask(["write-tree"]), "-p", tip, "-F", "-"], message);
  await ask(["push", "--quiet", "--", opened.url, `${revision}:${refName(opened.ref)}`]).catch(
    (error: unknown) => {
      throw /rejected|fetch first|non-fast-forward/.test((error as Error).message)
        ? conflict(base, "another one")
        : error;
    },
  );
  return revision;
}

/** Whether the revision has all of it already: a request that is sent again commits nothing. */
async function holds(mirror: GitPlace, revision: string, files: Writing["files"]): Promise<boolean> {
  const tree = new Map((await listTree(mirror, revision, undefined)).map((file) => [file.path, file]));
  const asked = Object.entries(files);
  if (asked.some(([path, text]) => (text === null) === tree.has(path))) return false;
  const there = asked.flatMap(([path, text]) => {
    const file = tree.get(path);
    return file === undefined || text === null ? [] : [{ file, text }];
  });
  const contents = await readFiles(
    mirror,
    there.map(({ file }) => file),
  );
  return there.every(({ text }, at) => contents[at]?.toString("utf8") === text);
}

function conflict(base: string, tip: string): Fault {
  return new Fault("conflict", `the repository is at ${tip} by now, and the change was made from ${base}`, {
    next: "fetch the Repository, look at what has changed, and make your change to that",
  });
}
