import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../core/store/testing.ts";
import { password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openCli } from "../harness/cli.ts";
import { startServer } from "../harness/server-process.ts";

test("a self-made certificate: trusted by its file and by nothing else, over HTTP/2 and HTTP/1.1, the same after a restart", async () => {
  const bench = openBench(onTestFinished);
  const data = join(bench.folder(), "data");
  const settings = {
    REEVE_DATABASE_URL: (await testDatabase()).url,
    REEVE_TLS_SELF_MADE: "true",
    REEVE_LOG_LEVEL: "info",
  };
  const server = await startServer(bench, { data, settings });
  expect(server.url).toMatch(/^https:\/\/localhost:\d+$/);
  const file = join(data, "tls", "cert.pem");
  expect(server.stderr()).toContain(file);
  const ca = readFileSync(file, "utf8");

  await expect(fetch(`${server.url}/livez`)).rejects.toThrow();
  const two = connect(server.url, { ca });
  onTestFinished(() => two.destroy());
  const head = await new Promise<Record<string, unknown>>((resolve, reject) => {
    two.on("error", reject);
    const stream = two.request({ ":path": "/readyz" });
    stream.on("response", resolve).resume().end();
  });
  expect(head).toMatchObject({ ":status": 200, "strict-transport-security": expect.any(String) });

  const agent = new Agent({ ca, keepAlive: true });
  onTestFinished(() => agent.destroy());
  const status = await new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}/readyz`, { agent }, (incoming) => {
      incoming.resume().on("end", () => resolve(incoming.statusCode));
    });
    outgoing.on("error", reject).end();
  });
  expect(status).toBe(200);

  const reeve = openCli(bench);
  const setup = ["setup", server.setupLink ?? "", "--user", "ada", "--password-stdin"];
  const distrusted = await reeve(setup, { stdin: password });
  expect(distrusted.code).toBe(7);
  expect(distrusted.stderr).toMatch(/certificate[\s\S]*next: .*--ca/);
  const trusted = await reeve([...setup, "--organization", "acme", "--ca", file], { stdin: password });
  expect(trusted).toMatchObject({ code: 0 });
  expect((await reeve(["get", "organizations", "-o", "name"])).stdout).toBe("organization/acme\n");

  // The cookie of a browser is bound to this host, and never sent in the clear.
  const cookie = await new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const outgoing = request(
      `${server.url}/api/v1/sessions`,
      { agent, method: "POST", headers },
      (incoming) => incoming.resume().on("end", () => resolve(incoming.headers["set-cookie"]?.[0])),
    );
    outgoing.on("error", reject).end(JSON.stringify({ user: "ada", password, carry: "cookie" }));
  });
  expect(cookie).toMatch(/^__Host-reeve=[^;]+; Path=\/; HttpOnly; SameSite=Lax;.*; Secure$/);

  // Both connections are still open and idle: nobody waits for them.
  const startedAt = performance.now();
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt, "it waited out the grace of 10 s").toBeLessThan(10_000);

  const again = await startServer(bench, { data, settings });
  expect(readFileSync(file, "utf8")).toBe(ca);
  expect(await again.stop()).toEqual({ code: 0, signal: null });
});
