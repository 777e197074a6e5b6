import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A real repository, with a work tree to push from. */
export interface TestRepository {
  /** What a server serves: `flows.git` lies in it. */
  readonly root: string;
  readonly work: string;
  git(...args: string[]): string;
  /** Writes files (undefined removes one, `->target` makes a link), commits, pushes, and says which commit it is. */
  push(files: Readonly<Record<string, string | undefined>>, more?: { force?: boolean }): string;
}

export function testRepository(keep: (end: () => void) => void): TestRepository {
  const root = mkdtempSync(join(tmpdir(), "reeve-git-"));
  keep(() => rmSync(root, { recursive: true, force: true }));
  const work = join(root, "work");
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
  };
  const run = (cwd: string, ...args: string[]) =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  run(root, "init", "--quiet", "--bare", "--initial-branch=main", "flows.git");
  run(root, "clone", "--quiet", join(root, "flows.git"), work);
  run(work, "checkout", "--quiet", "-B", "main");
  return {
    root,
    work,
    git: (...args) => run(work, ...args),
    push(files, { force = false } = {}) {
      for (const [path, text] of Object.entries(files)) {
        const file = join(work, path);
        rmSync(file, { recursive: true, force: true });
        if (text === undefined) continue;
        mkdirSync(dirname(file), { recursive: true });
        if (text.startsWith("->")) symlinkSync(text.slice(2), file);
        else writeFileSync(file, text);
      }
      run(work, "add", "--all");
      run(work, "commit", "--quiet", "--allow-empty", "-m", "more");
      run(work, "push", "--quiet", ...(force ? ["--force"] : []), "origin", "HEAD");
      return run(work, "rev-parse", "HEAD");
    },
  };
}

/** Serves the repositories by Git's own http-backend, as any web server does. `password` asks for it, by basic authentication. */
export async function serveGit(
  root: string,
  keep: (end: () => void) => void,
  options: { password?: string; before?: (request: IncomingMessage, answer: ServerResponse) => boolean } = {},
): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const wanted = `Basic ${Buffer.from(`git:${options.password}`).toString("base64")}`;
  const server = createServer((request, answer) => {
    asked.push(`${request.method} ${request.url}`);
    if (options.before?.(request, answer)) return;
    if (options.password !== undefined && request.headers.authorization !== wanted) {
      answer.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    backend(root, request, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  keep(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/flows.git`, asked };
}

function backend(root: string, request: IncomingMessage, answer: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "", "http://x");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH ?? "",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? "",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => {});
  let head: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    if (head === undefined) return void answer.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const lines = head.toString("latin1", 0, end).split("\r\n");
    const headers = Object.fromEntries(lines.map((line) => line.split(/: /, 2) as [string, string]));
    const { Status: status = "200", ...rest } = headers;
    answer.writeHead(Number.parseInt(status, 10), rest);
    answer.write(head.subarray(end + 4));
    head = undefined;
  });
  child.on("close", () => answer.end());
}
