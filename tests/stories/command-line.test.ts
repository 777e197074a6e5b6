import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Api, password, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli } from "../harness/cli.ts";
import { bareEnvironment, root } from "../harness/processes.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** What the command line does beside the work: servers it knows, passwords, tokens, completion, colours, and a server of its own. */
describe("the command line", () => {
  const bench = openBench(afterAll);
  let server: ServerProcess;
  let api: Api;
  let reeve: Cli;

  beforeAll(async () => {
    server = await startServer(bench);
    api = await setUp(server.url, server.setupLink);
    reeve = openCli(bench);
  });

  const signIn = (secret: string, ...args: string[]) =>
    reeve(["login", server.url, "--user", "ada", "--password-stdin", ...args], { stdin: secret });

  test("servers are known by contexts: listed, shown without their token, changed, forgotten", async () => {
    expect((await reeve(["context", "list"])).stderr).toContain("reeve login URL");
    expect(await signIn(password)).toMatchObject({ code: 0 });
    expect(await signIn(password, "--context", "second")).toMatchObject({ code: 0 });
    const { stdout } = await reeve(["context", "list"]);
    expect(stdout).toMatch(/^second +http:\/\/localhost:\d+ +.*ada.* yes$/m);
    const names = (await reeve(["context", "list", "-o", "name"])).stdout.trim().split("\n");
    const first = names.find((name) => name !== "second") ?? "";
    expect(names).toHaveLength(2);
    expect((await reeve(["context", "use", first])).stderr).toContain(`the current context is ${first}`);
    const shown = await reeve(["context", "show", "-o", "json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ name: first, url: server.url });
    expect(shown.stdout).not.toContain("reeve_s_");
    expect(await reeve(["context", "use", "third"])).toMatchObject({ code: 5 });
    expect((await reeve(["context", "delete", "second"])).code).toBe(0);
    expect((await reeve(["context", "list", "-o", "name"])).stdout.trim()).toBe(first);
  });

  test("a password is changed with the one before, and the other sessions end", async () => {
    const elsewhere = openCli(bench);
    const login = ["login", server.url, "--user", "ada", "--password-stdin"];
    expect(await elsewhere(login, { stdin: password })).toMatchObject({ code: 0 });
    const changed = "another passphrase, longer";
    const wrong = await reeve(["passwd", "--password-stdin"], { stdin: `${changed}\nnot the one before\n` });
    expect(wrong.code).not.toBe(0);
    const done = await reeve(["passwd", "--password-stdin"], { stdin: `${changed}\n${password}\n` });
    expect(done, done.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining("sessions ended") });
    expect((await elsewhere(["get", "organizations"])).code).toBe(4);
    expect((await signIn(password)).code).toBe(4);
    expect((await signIn(changed)).code).toBe(0);
    // The sessions of before ended, also the test's own.
    const again = await reeve(["passwd", "--password-stdin"], { stdin: `${password}\n${changed}\n` });
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect((await signIn(password)).code).toBe(0);
  });

  test("tokens are made, listed with when they were last used, and never shown again", async () => {
    const made = await reeve(["token", "create", "laptop", "--expires", "1d"]);
    expect(made, made.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^reeve_\S+\n$/) });
    const secret = made.stdout.trim();
    expect((await reeve(["get", "organizations"], { env: { REEVE_TOKEN: secret } })).code).toBe(0);
    const { stdout } = await reeve(["token", "list"]);
    expect(stdout).toMatch(/^laptop /m);
    expect(stdout).not.toContain(secret);
  });

  test("a shell completes verbs, kinds, scopes and names of what is there", async () => {
    const bin = join(bench.folder(), "bin");
    mkdirSync(bin);
    const program = join(bin, "reeve");
    const main = join(root, "apps", "cli", "reeve.mjs");
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    chmodSync(program, 0o755);
    /** What bash offers for the last of these words. */
    const offered = async (...words: string[]) => {
      const script = [
        "source <(reeve completion bash)",
        "compopt() { :; }",
        `COMP_WORDS=(reeve ${words.map((word) => `'${word}'`).join(" ")})`,
        `COMP_CWORD=${words.length}`,
        "_reeve",
        `printf '%s\\n' "\${COMPREPLY[@]}"`,
      ].join("\n");
      const env = { ...bareEnvironment, HOME: reeve.home, PATH: `${bin}:${bareEnvironment.PATH}` };
      const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", script], { env });
      return stdout.trim().split("\n");
    };
    expect(await offered("conte")).toEqual(["context"]);
    expect(await offered("context", "")).toEqual(expect.arrayContaining(["list", "use", "show", "delete"]));
    expect(await offered("get", "organiz")).toContain("organizations");
    expect(await offered("describe", "organization/ac")).toEqual(["organization/acme"]);
    expect(await offered("completion", "z")).toEqual(["zsh"]);
    expect((await reeve(["completion", "tcsh"])).code).toBe(2);
  });

  test("colours are for a terminal that has them, unless somebody does without", async () => {
    const inTerminal = async (args: string, env: Record<string, string> = {}) => {
      const command = `'${process.execPath}' '${join(root, "apps", "cli", "reeve.mjs")}' ${args}`;
      const { stdout } = await promisify(execFile)("script", ["--quiet", "--command", command, "/dev/null"], {
        env: { ...bareEnvironment, HOME: reeve.home, TERM: "xterm-256color", ...env },
      });
      return stdout;
    };
    const file = join(reeve.home, "new.yaml");
    writeFileSync(file, "apiVersion: reeve/v1\nkind: Project\nmetadata: { scope: acme, name: new }\n");
    const colour = "\u001b[3";
    expect(await inTerminal(`diff -f ${file}`)).toContain(colour);
    for (const plain of [
      await inTerminal(`diff -f ${file}`, { NO_COLOR: "1" }),
      await inTerminal(`--no-color diff -f ${file}`),
      (await reeve(["diff", "-f", file])).stdout,
    ]) {
      expect(plain).toContain("new");
      expect(plain).not.toContain(colour);
    }
  });

  test("a server is started by it too, and stops when it is told to", async () => {
    const started = reeve.start([
      ...["server", "--data", join(bench.folder(), "data"), "--listen", "127.0.0.1:0"],
      ...["--agent-listen", "127.0.0.1:0", "--home-agent", "off"],
    ]);
    await until("it to be ready", () => started.stdout().includes("Reeve is ready at http://"), 150_000);
    await started.kill("SIGTERM");
    expect(await started.ended).toMatchObject({ code: 0 });
    expect(api.token).toBeDefined();
  });
});
