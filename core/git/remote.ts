import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { GitFailed, type GitPlace, git } from "./command.ts";

/** A branch, or `tag:NAME`, of a repository elsewhere; its own default without one. */
export interface RemoteRef {
  readonly url: string;
  readonly ref?: string | undefined;
}

const talkBytes = 4 * 1024 * 1024;

export function refName(ref: string | undefined): string {
  if (ref === undefined) return "HEAD";
  return ref.startsWith("tag:") ? `refs/tags/${ref.slice(4)}` : `refs/heads/${ref}`;
}

/** The commit that the ref leads to; a tag with a note of its own leads there by its `^{}`. */
export async function remoteTip(place: GitPlace, { url, ref }: RemoteRef): Promise<string> {
  const name = refName(ref);
  const args = ["ls-remote", "--", url, name, `${name}^{}`];
  const listed = (await git({ ...place, args, mostBytes: talkBytes })).toString("utf8");
  const refs = new Map(listed.split("\n").map((line) => line.split("\t").reverse() as [string, string]));
  const tip = refs.get(`${name}^{}`) ?? refs.get(name);
  if (tip === undefined)
    throw new GitFailed(
      ref === undefined
        ? "the repository has no default branch"
        : `the repository has no ${ref.replace(/^(?!tag:)/, "branch ")}`,
      null,
    );
  return tip;
}

export interface Fetching extends RemoteRef {
  /** Without its history, which is a part of what is brought otherwise. */
  readonly shallow: boolean;
  /** A repository that grows beyond this is left. */
  readonly mostBytes: number;
}

/** Brings the commit that the ref leads to, and says which it is. It is `refs/reeve/tip` then, whatever was there before. */
export async function fetchTip(place: GitPlace, { url, ref, shallow, mostBytes }: Fetching): Promise<string> {
  const full = new AbortController();
  const timer = setInterval(() => {
    if (sizeOf(join(place.cwd, "objects/pack")) > mostBytes)
      full.abort(
        new GitFailed(
          `the repository is larger than ${mostBytes} bytes${shallow ? ", even without its history" : ""}`,
          null,
        ),
      );
  }, 100);
  const depth = shallow ? ["--depth=1"] : [];
  try {
    await git({
      ...place,
      args: [
        ...["fetch", "--quiet", ...depth, "--no-tags", "--no-write-fetch-head"],
        ...["--", url, `+${refName(ref)}:refs/reeve/tip`],
      ],
      mostBytes: talkBytes,
      signal: AbortSignal.any([place.signal, full.signal]),
    });
  } finally {
    clearInterval(timer);
  }
  const args = ["rev-parse", "--verify", "refs/reeve/tip^{commit}"];
  return (await git({ ...place, args, mostBytes: talkBytes })).toString("utf8").trim();
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder).reduce(
      (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  } catch {
    return 0;
  }
}
