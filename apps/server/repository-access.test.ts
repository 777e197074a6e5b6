import { join } from "node:path";
import { serveSsh } from "@reeve/git/testing-ssh";
import { describe, expect, test, vi } from "vitest";
import { needs } from "../../tools/components.ts";
import { fromFolder, house, keep, patience, wordsOf } from "./testing-repositories.ts";

/** What opens repositories: by https with a token, by ssh with a key; and those that do not answer. */

describe("access to repositories", { ...needs("git", "sshd"), timeout: 300_000 }, () => {
  test("a token, and a key of ssh, open it by reference: its own, or of a Connection", async () => {
    const made = await house({}, {}, { password: "hush" });
    const ssh = await serveSsh(keep);
    const tip = made.repository.git("rev-parse", "HEAD");
    const said = async (name = "apps") => wordsOf(await made.read("repositories", name), "Fetched");
    await vi.waitFor(
      async () => expect(await said()).toMatch(/authentication failed|could not read/i),
      patience,
    );
    await made.apply("secrets", "git", {});
    await made.act("secrets", "git", "set", { values: { token: "hush", key: ssh.privateKey } });
    const of = (key: string) => ({ secretRef: { name: "git", key } });
    const url = ssh.urlOf(join(made.repository.root, "flows.git"));
    const keyed = { url, privateKey: of("key"), knownHosts: ssh.knownHosts };
    await made.apply("connections", "https", { type: "git", url: made.url, password: of("token") });
    await made.apply("connections", "ssh", { type: "git", ...keyed });
    const ways = {
      token: { url: made.url, password: of("token") },
      key: keyed,
      "token-connection": { connection: "https" },
      "key-connection": { connection: "ssh" },
    };
    for (const [name, git] of Object.entries(ways)) {
      const answer = await made.apply("repositories", name, {
        git: { ...git, ref: "main" },
        writeBack: true,
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    }
    for (const name of Object.keys(ways))
      await vi.waitFor(async () => expect(await said(name)).toBe(`revision ${tip}`), patience);
    const files = { "web/note": "by ssh\n" };
    const written = await made.act("repositories", "key-connection", "write", {
      base: tip,
      message: "Note",
      files,
    });
    expect(written.status, JSON.stringify(written.body)).toBe(200);
    made.repository.git("pull", "--quiet", "origin", "main");
    expect(made.repository.git("show", "HEAD:web/note")).toBe("by ssh");
    const wrong = {
      ...keyed,
      knownHosts: ssh.knownHosts.replace(/AAAA\S{30}/, "AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAA"),
      ref: "main",
    };
    await made.apply("repositories", "key", { git: wrong });
    await vi.waitFor(
      async () => expect(await said("key")).toMatch(/host key|verification failed/i),
      patience,
    );
  });
});

describe("what happens at a Git server", { ...needs("git"), timeout: 300_000 }, () => {
  test("a write is recorded before it is pushed, and again when it has ended", async () => {
    type Row = { operation: string; detail: object };
    const query =
      "select operation, detail from audit where operation like 'write%' order by revision, operation";
    let atPush: Promise<Row[]> | undefined;
    const made = await house(
      { writeBack: true },
      {},
      {
        before({ method, url }) {
          if (method === "POST" && url?.endsWith("git-receive-pack"))
            atPush = made.server.database.query<Row>(query);
          return false;
        },
      },
    );
    const base = made.repository.git("rev-parse", "HEAD");
    const write = (files: object, dryRun = false) =>
      made.server.call(
        "POST",
        `/organizations/acme/repositories/apps/actions/write${dryRun ? "?dryRun=true" : ""}`,
        {
          body: { base, message: "More", files },
        },
      );
    expect((await write({ "web/note": "one" }, true)).status).toBe(200);
    expect(atPush).toBeUndefined();
    expect((await write({ "web/note": "one" })).status).toBe(200);
    const begun = { operation: "write", detail: { base, message: "More", files: ["web/note"] } };
    expect((await atPush)?.map(({ operation, detail }) => ({ operation, detail }))).toContainEqual(begun);
    expect((await write({ "web/note": "two" })).status).toBe(409);
    const rows = await made.server.database.query<Row>(query);
    const ended = rows.filter(({ operation }) => operation === "write-ended").map(({ detail }) => detail);
    expect(ended).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ revision: expect.any(String) }),
        { failed: expect.stringContaining(base) },
      ]),
    );
  });

  test("servers that do not answer hold up nothing else", async () => {
    let silent = true;
    const made = await house({}, {}, { before: () => silent });
    const spec = { git: { url: made.url, ref: "main" }, every: "1h" };
    for (let at = 0; at < 9; at++) await made.apply("repositories", `silent-${at}`, spec);
    await made.apply("services", "web", fromFolder("web"));
    await vi.waitFor(
      async () =>
        expect(wordsOf(await made.read("services", "web"), "Source")).toContain("has not been read yet"),
      patience,
    );
    silent = false;
  });
});
