import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { AttemptOrder, Executor, InnerOutcome, Inside } from "@reeve/agent";
import { fetchTip, GitFailed, git, openAccess, remoteTip } from "@reeve/git";
import * as z from "zod/mini";
import { collect } from "./git/collect.ts";
import { readWith } from "./script.ts";

/** The control plane has checked all of it; a workflow that `uses` this has not. */
const schema = z.strictObject({
  url: z
    .string()
    .check(z.regex(/^(https?|ssh|git):\/\/[^\s\0]+$/, "must begin with https://, ssh://, http:// or git://")),
  ref: z.optional(
    z.string().check(z.regex(/^(tag:)?[A-Za-z0-9_][A-Za-z0-9_./+-]*$/, "must be a branch, or tag:NAME")),
  ),
  path: z.optional(z.string().check(z.minLength(1))),
  user: z.optional(z.string()),
  password: z.optional(z.string()),
  privateKey: z.optional(z.string()),
  knownHosts: z.optional(z.string()),
  ca: z.optional(z.string()),
  known: z.optional(z.string()),
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
    const commit = await fetchTip(place, { ...asked, shallow: true, mostBytes: limits.packBytes });
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
