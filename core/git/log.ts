import { GitFailed, type GitPlace, git } from "./command.ts";

/** A commit, as a list of them shows it. */
export interface Commit {
  readonly revision: string;
  readonly at: string;
  readonly by: string;
  readonly subject: string;
}

const logBytes = 4 * 1024 * 1024;

/** The latest commits up to this one that have changed something in the folder. */
export async function listCommits(
  place: GitPlace,
  from: string,
  { folder, most }: { readonly folder: string | undefined; readonly most: number },
): Promise<Commit[]> {
  const args = ["log", `--max-count=${most}`, "--format=%H%x00%cI%x00%an%x00%s", from, "--"];
  const below = folder === undefined ? [] : [folder];
  const told = (await git({ ...place, args: [...args, ...below], mostBytes: logBytes })).toString("utf8");
  return told
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [revision = "", at = "", by = "", subject = ""] = line.split("\0");
      return { revision, at, by, subject };
    });
}

/** Whether the copy has this commit, with all that belongs to it. */
export function hasCommit(place: GitPlace, revision: string): Promise<boolean> {
  return says(place, ["cat-file", "-e", `${revision}^{commit}`]);
}

/** Git's answer to a question of yes or no. */
export async function says(place: GitPlace, args: readonly string[]): Promise<boolean> {
  try {
    await git({ ...place, args, mostBytes: 64 * 1024 });
    return true;
  } catch (error) {
    if (error instanceof GitFailed && error.exitCode !== null) return false;
    throw error;
  }
}
