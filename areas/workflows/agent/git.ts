import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { AttemptOrder, Executor, InnerOutcome, Inside } from "@reeve/agent";
import { z } from "zod";
import { openAccess } from "./git/access.ts";
import { collect } from "./git/collect.ts";
import { type GitCall, GitFailed, git } from "./git/command.ts";
import { readWith } from "./script.ts";

/** The control plane has checked all of it; a workflow that `uses` this has not. */
const schema = z.strictObject({
  url: z
    .string()
    .regex(/^(https?|ssh|git):\/\/[^\s\0]+$/, "must begin with https://, ssh://, http:// or git://"),
  ref: z
    .string()
    .regex(/^(tag:)?[A-Za-z0-9_][A-Za-z0-9_./+-]*$/, "must be a branch, or tag:NAME")
    .optional(),
  path: z.string().min(1).optional(),
  user: z.string().optional(),
  password: z.string().optional(),
  privateKey: z.string().optional(),
  knownHosts: z.string().optional(),
  ca: z.string().optional(),
  known: z.string().optional(),
});

type Asked = z.infer<typeof schema>;

const limits = { packBytes: 256 * 1024 * 1024, outputBytes: 3 * 1024 * 1024, talkBytes: 4 * 1024 * 1024 };

/** Fetches the workflows of a repository, for Sources: `{ commit, files }`, or `{ commit, unchanged }` when nothing is new. */
export const gitFetch: Executor = {
  name: "git-fetch",
  available: () =>
    promisify(execFile)("git", ["--version"]).then(
      () => true,
      () => false,
    ),
  async prepare(order) {
    const asked = readWith(schema, order);
    return {
      does: "inside",
      outputBytes: limits.outputBytes,
      run: (inside) => perform(asked, order, inside),
    };
  },
};

async function perform(asked: Asked, order: AttemptOrder, inside: Inside): Promise<InnerOutcome> {
  const { origin, pathname } = new URL(asked.url);
  // The first word makes the attempt's folders, too.
  inside.stderr(`asking ${origin === "null" ? asked.url : origin + pathname} for ${asked.ref ?? "HEAD"}\n`);
  const folder = join(order.folder, "git");
  const secrets = join(order.files, "git");
  try {
    await mkdir(join(folder, "scratch"), { recursive: true, mode: 0o700 });
    const env = await openAccess(asked, folder, secrets);
    const place = { cwd: folder, env, signal: inside.signal };
    await git({ ...place, args: ["init", "--quiet", "--bare", "--template="], mostBytes: limits.talkBytes });
    const tip = await remoteTip(place, asked);
    if (tip === asked.known) {
      inside.stderr(`still ${tip}\n`);
      return { outcome: "succeeded", why: "", outputs: { commit: tip, unchanged: true } };
    }
    const commit = await fetchCommit(place, asked);
    inside.stderr(`fetched ${commit}\n`);
    const files = await collect({ ...place, commit, path: asked.path, scratch: join(folder, "scratch") });
    inside.stderr(`${files.length} files with workflows\n`);
    const packed = gzipSync(JSON.stringify(files)).toString("base64");
    if (packed.length > limits.outputBytes - 1000)
      throw new GitFailed(`the workflows are ${packed.length} bytes when compressed: set a path`, null);
    return { outcome: "succeeded", why: "", outputs: { commit, files: packed } };
  } catch (error) {
    inside.signal.throwIfAborted();
    if (!(error instanceof GitFailed)) throw error;
    inside.stderr(`${error.message}\n`);
    return { outcome: "failed", why: error.message };
  } finally {
    await Promise.all([folder, secrets].map((one) => rm(one, { recursive: true, force: true })));
  }
}

function nameOf(ref: string | undefined): string {
  if (ref === undefined) return "HEAD";
  return ref.startsWith("tag:") ? `refs/tags/${ref.slice(4)}` : `refs/heads/${ref}`;
}

type Place = Pick<GitCall, "cwd" | "env" | "signal">;

/** The commit that the ref leads to; a tag with a note of its own leads there by its `^{}`. */
async function remoteTip(place: Place, { url, ref }: Asked): Promise<string> {
  const name = nameOf(ref);
  const args = ["ls-remote", "--", url, name, `${name}^{}`];
  const listed = (await git({ ...place, args, mostBytes: limits.talkBytes })).toString("utf8");
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

async function fetchCommit(place: Place, { url, ref }: Asked): Promise<string> {
  const repository = { ...place, mostBytes: limits.talkBytes };
  const full = new AbortController();
  const timer = setInterval(() => {
    if (sizeOf(join(place.cwd, "objects/pack")) > limits.packBytes)
      full.abort(
        new GitFailed(
          `the repository is larger than ${limits.packBytes} bytes, even without its history`,
          null,
        ),
      );
  }, 100);
  const fetch = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head"];
  try {
    await git({
      ...repository,
      args: [...fetch, "--", url, `+${nameOf(ref)}:refs/reeve/tip`],
      signal: AbortSignal.any([place.signal, full.signal]),
    });
  } finally {
    clearInterval(timer);
  }
  const parsed = await git({ ...repository, args: ["rev-parse", "--verify", "refs/reeve/tip^{commit}"] });
  return parsed.toString("utf8").trim();
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
