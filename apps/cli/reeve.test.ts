import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const entry = fileURLToPath(new URL("./reeve.mjs", import.meta.url));
let folder: string;
let server: Server;
let url: string;
let handle: (request: IncomingMessage, answer: ServerResponse) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "reeve-cli-"));
  server = createServer((request, answer) => handle(request, answer));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const account = (name: string, revision: number) => ({
  apiVersion: "reeve/v1",
  kind: "ServiceAccount",
  metadata: {
    scope: "acme",
    name,
    uid: `uid-${name}`,
    generation: 1,
    revision,
    labels: {},
    annotations: {},
    finalizers: [],
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
  },
  spec: { disabled: false, description: "x".repeat(200) },
  status: {},
});

test("data goes to stdout and fits 80 columns, talk goes to stderr", async () => {
  handle = (_request, answer) => json(answer, 200, { kind: "List", items: [account("ci", 1)], revision: 1 });
  const full = await reeve(["get", "sa", "--scope", "acme"]);
  expect(full).toMatchObject({ code: 0, stderr: "" });
  expect(full.stdout.split("\n")[0]).toMatch(/^NAME {2}STATE {3}DESCRIPTION +AGE$/);
  for (const line of full.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);

  handle = (_request, answer) => json(answer, 200, { kind: "List", items: [], revision: 1 });
  const empty = await reeve(["get", "sa", "--scope", "acme"]);
  expect(empty).toMatchObject({ code: 0, stdout: "" });
  expect(empty.stderr).toContain("no serviceaccounts in acme; make one with:");
});

test("a refusal becomes an exit code, a line, its fields in the file, and what to do next", async () => {
  const problem = {
    kind: "invalid",
    status: 422,
    detail: "/spec/nope: unknown field",
    next: "correct it",
    errors: [{ pointer: "/spec/nope", message: "unknown field" }],
  };
  handle = (_request, answer) => json(answer, 200, { results: [{ problem }] });
  const file = join(folder, "a.yaml");
  writeFileSync(file, "apiVersion: reeve/v1\nkind: User\nmetadata: { name: ada }\nspec:\n  nope: 1\n");
  const { code, stdout, stderr } = await reeve(["apply", "-f", file]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toBe(
    `reeve: user/ada: /spec/nope: unknown field\n  ${file}:5:3: /spec/nope: unknown field\nnext: correct it\n`,
  );
});

test("exit codes tell kinds of failure apart", async () => {
  const codeFor = async (status: number, kind: string) => {
    handle = (_request, answer) => json(answer, status, { kind, status, detail: kind });
    return (await reeve(["get", "sa/ci", "--scope", "acme"])).code;
  };
  expect(await codeFor(401, "unauthenticated")).toBe(4);
  expect(await codeFor(404, "not_found")).toBe(5);
  expect(await codeFor(500, "internal")).toBe(8);
  expect((await reeve(["get"])).code).toBe(2);
  expect((await reeve(["frobnicate"])).code).toBe(2);
  expect((await reeve(["get", "sa"], { REEVE_URL: "" })).code).toBe(4);
});

test("signing in keeps a context that is used afterwards, and only a private file", async () => {
  const seen: string[] = [];
  handle = (request, answer) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`);
    if (request.url === "/api/v1/sessions")
      json(answer, 201, { token: "secret", expiresAt: "2030-01-01T00:00:00Z", user: "ada" });
    else if (request.url === "/api/v1/whoami") json(answer, 200, { grants: [], withheld: [] });
    else json(answer, 200, { allowed: false, why: "no role" });
  };
  const login = await reeve(["login", url, "--user", "ada", "--password-stdin"], { REEVE_URL: "" }, "pass\n");
  expect(login).toMatchObject({ code: 0, stdout: "" });
  expect(readFileSync(join(folder, "config.yaml"), "utf8")).toContain("token: secret");
  const asked = await reeve(["auth", "can-i", "delete", "sa", "-s", "acme"], { REEVE_URL: "" });
  expect(asked).toEqual({ code: 1, stdout: "no\n", stderr: "no role\n" });
  expect(seen).toEqual([
    "POST /api/v1/sessions -",
    "GET /api/v1/whoami Bearer secret",
    "POST /api/v1/can-i Bearer secret",
  ]);
});

test("who has roles that are withheld is not told to have none", async () => {
  const me = { subject: { kind: "User", scope: "", name: "ada" }, via: "session", grants: [] };
  const withheld = [{ role: "editor", scope: "acme", binding: "acme/ada" }];
  handle = (_request, answer) => json(answer, 200, { ...me, withheld });
  const { stderr } = await reeve(["auth", "whoami"]);
  expect(stderr).toContain("your role editor in acme does not count");
  expect(stderr).not.toContain("no role");
  handle = (_request, answer) => json(answer, 200, { ...me, withheld: [] });
  expect((await reeve(["auth", "whoami"])).stderr).toContain("you hold no role anywhere yet");
});

test("who came by a token that leaves nothing is told so, and not to have no role", async () => {
  const via = { kind: "token", id: "t", narrowed: { within: "acme/shop", allows: ["projects:read"] } };
  const subject = { kind: "User", scope: "", name: "ada" };
  handle = (_request, answer) => json(answer, 200, { subject, via, grants: [], withheld: [] });
  const { stdout, stderr } = await reeve(["auth", "whoami"]);
  expect(stdout).toBe("user:ada (by token within acme/shop)\n");
  expect(stderr).toBe(
    "what this token was made for leaves nothing of what its subject may\nthis token allows only projects:read\n",
  );
});

test("Ctrl-C ends a watch with 130, after what it has shown", async () => {
  handle = (_request, answer) => {
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.write(`event: added\nid: 1\ndata: ${JSON.stringify({ resource: account("ci", 1) })}\n\n`);
    answer.write('event: synced\nid: 1\ndata: {"revision":1}\n\n');
  };
  const { code, stdout } = await reeve(["watch", "sa", "-s", "acme", "-o", "name"], {}, "", (child, text) => {
    if (text.includes("\n")) child.kill("SIGINT");
  });
  expect({ code, stdout }).toEqual({ code: 130, stdout: "added serviceaccount/acme/ci\n" });
});

test("a reader that has seen enough is no mistake", async () => {
  const items = Array.from({ length: 20_000 }, (_, index) => account(`sa-${index}`, index));
  handle = (_request, answer) => json(answer, 200, { kind: "List", items, revision: 1 });
  const { code, stderr } = await reeve(["get", "sa", "-s", "acme", "-o", "json"], {}, "", (child) =>
    child.stdout?.destroy(),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function reeve(
  args: readonly string[],
  env: Record<string, string> = {},
  input = "",
  onText: (child: ReturnType<typeof spawn>, text: string) => void = () => undefined,
): Promise<Ended> {
  const own = { REEVE_URL: url, REEVE_CONTEXTS: join(folder, "config.yaml"), REEVE_TOKEN: "", ...env };
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [entry, ...args], { env: { PATH, HOME, ...own } });
  child.stdin.end(input);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk;
    onText(child, stdout);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

function json(answer: ServerResponse, status: number, body: unknown): void {
  answer.writeHead(status, { "content-type": "application/json" });
  answer.end(JSON.stringify(body));
}
