import { type AreaRoute, type Context, defineRoute, type OpenSecrets, readFor } from "@reeve/control";
import { fetchTip, GitFailed, type GitPlace, hasCommit, listCommits, listTree, readFiles } from "@reeve/git";
import { Fault } from "@reeve/model";
import type { Stored } from "@reeve/store";
import { z } from "zod";
import { path as filePath } from "../../kinds/files.ts";
import { Repository, type RepositorySpec, type RepositoryStatus } from "../../kinds/index.ts";
import { addressOf, repositoryPaths } from "../addresses.ts";
import { encryptionOf } from "../encrypted/which.ts";
import { openRepository } from "./access.ts";
import { asText } from "./folders.ts";
import { type Mirrors, repositoryBytes } from "./mirrors.ts";

const mostFiles = 5000;
const mostCommits = 30;
const mostBytes = 1024 * 1024;

const tree = z.strictObject({
  revision: z.string(),
  files: z.array(z.strictObject({ path: z.string(), bytes: z.number() })),
  more: z.boolean().describe(`there are more than ${mostFiles} files, and the others are not listed`),
  commits: z
    .array(z.strictObject({ revision: z.string(), at: z.string(), by: z.string(), subject: z.string() }))
    .describe("the latest, newest first"),
});
const file = z.strictObject({
  revision: z.string(),
  path: z.string(),
  text: z.string().optional().describe("what it holds; not there for one that is not shown"),
  hidden: z
    .enum(["encrypted", "binary", "large"])
    .optional()
    .describe("why it is not shown: what is encrypted is opened only for agents"),
});

/** What is in a repository at the revision that was fetched last: its files, its latest commits, and what a file holds. */
export function browseRoutes(context: Context, mirrors: Mirrors, openSecrets: OpenSecrets): AreaRoute[] {
  /** The copy of this replica may be older, or not there yet. */
  async function within<T>(
    repository: Stored,
    work: (place: GitPlace, revision: string) => Promise<T>,
  ): Promise<T> {
    const { uid, name } = repository.metadata;
    const { revision } = repository.status as RepositoryStatus;
    if (revision === undefined)
      throw new Fault("precondition", `the Repository ${name} has not been read yet`, {
        next: `\`reeve describe repository/${name}\` says why`,
      });
    const isHere = (place: GitPlace) => hasCommit(place, revision);
    if (!(await mirrors.read(uid, isHere).catch(() => false))) {
      const opened = await openRepository(context, openSecrets, repository);
      await mirrors.use(uid, opened, AbortSignal.timeout(60_000), (place) =>
        fetchTip(place, { ...opened, shallow: false, mostBytes: repositoryBytes }),
      );
    }
    return mirrors
      .read(uid, (place) => work(place, revision))
      .catch((error: unknown) => {
        if (!(error instanceof GitFailed)) throw error;
        throw new Fault("precondition", `it cannot be read: ${error.message}`, {
          next: "fetch the Repository",
        });
      });
  }

  const folderOf = ({ spec }: Stored) => (spec as unknown as RepositorySpec).git.path;
  const of = { method: "GET", tag: "Services", demand: "operation" } as const;
  return repositoryPaths.flatMap((at) => [
    defineRoute({
      ...of,
      path: `${at}/tree`,
      summary: "The files of a repository",
      description: "At the revision that was fetched last, below its `path`; with the latest commits.",
      answer: tree,
      async run({ params, ...request }) {
        const repository = await readFor(context, request, addressOf(params, Repository.name), "files");
        const body = await within(repository, async (place, revision) => {
          const folder = folderOf(repository);
          const all = (await listTree(place, revision, folder)).filter(({ kind }) => kind === "file");
          const files = all.slice(0, mostFiles).map(({ path, bytes }) => ({ path, bytes }));
          const commits = await listCommits(place, revision, { folder, most: mostCommits });
          return { revision, files, more: all.length > mostFiles, commits };
        });
        return { body: body as never };
      },
    }),
    defineRoute({
      ...of,
      path: `${at}/file`,
      summary: "What a file of a repository holds",
      query: z.object({ path: filePath.describe("From the repository's top.") }),
      answer: file,
      async run({ params, query, ...request }) {
        const repository = await readFor(context, request, addressOf(params, Repository.name), "files");
        const body = await within(repository, async (place, revision) => {
          const listed = await listTree(place, revision, folderOf(repository));
          const found = listed.find(({ path, kind }) => path === query.path && kind === "file");
          if (found === undefined)
            throw new Fault("not_found", `revision ${revision} has no file ${query.path}`, {
              next: "look at its tree",
            });
          if (found.bytes > mostBytes) return { revision, path: query.path, hidden: "large" };
          const [content = Buffer.alloc(0)] = await readFiles(place, [found]);
          return { revision, path: query.path, ...shownOf(query.path, content) };
        });
        return { body: body as never };
      },
    }),
  ]);
}

function shownOf(path: string, content: Buffer): { text: string } | { hidden: string } {
  const text = asText(content);
  if (encryptionOf(path, text ?? "") !== undefined) return { hidden: "encrypted" };
  return text === undefined || text.includes("\0") ? { hidden: "binary" } : { text };
}
