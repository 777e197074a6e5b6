import { readFileSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request as plainRequest } from "node:http";
import { connect } from "node:http2";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../../core/control/authority/certificate.ts";
import { testDatabase } from "../../core/store/testing.ts";
import { password } from "../harness/api.ts";
import { type Bench, openBench } from "../harness/bench.ts";
import { openCli } from "../harness/cli.ts";
import { freePort } from "../harness/replicas.ts";
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

test("a given certificate is the one that is served, and the command line trusts it by its authority", async () => {
  const bench = openBench(onTestFinished);
  const folder = bench.folder();
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const pair = selfSigned("given", ["localhost"], 2);
  writeFileSync(cert, pair.cert);
  writeFileSync(key, pair.key);
  const settings = {
    REEVE_DATABASE_URL: (await testDatabase()).url,
    REEVE_TLS_CERT: cert,
    REEVE_TLS_KEY: key,
  };
  const server = await startServer(bench, { settings });
  expect(server.url).toMatch(/^https:\/\/localhost:\d+$/);
  await expect(
    ask(server.url, selfSigned("other", ["localhost"], 2).cert, "GET", "/livez"),
  ).rejects.toThrow();
  expect(await ask(server.url, pair.cert, "GET", "/livez")).toMatchObject({ status: 200 });

  const reeve = openCli(bench);
  const args = ["setup", server.setupLink ?? "", "--user", "ada", "--password-stdin", "--ca", cert];
  expect(await reeve([...args, "--organization", "acme"], { stdin: password })).toMatchObject({ code: 0 });
  expect((await reeve(["get", "organizations", "-o", "name"])).stdout).toBe("organization/acme\n");
});

test("behind a declared proxy: links name the public address, cookies are bound to it, and only its pages change something", async () => {
  const bench = openBench(onTestFinished);
  const [port, pair] = [await freePort(), selfSigned("proxy", ["localhost"], 2)];
  const outside = await proxyTo(bench, port, pair);
  const server = await startServer(bench, {
    settings: {
      REEVE_DATABASE_URL: (await testDatabase()).url,
      REEVE_LISTEN: `127.0.0.1:${port}`,
      REEVE_PUBLIC_URL: outside,
      REEVE_TRUSTED_PROXIES: "127.0.0.1",
    },
  });
  expect(server.url).toBe(outside);
  expect(server.setupLink).toMatch(new RegExp(`^${outside}/setup#`));
  const call = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    ask(outside, pair.cert, method, `/api/v1${path}`, headers, body);

  const token = server.setupLink?.split("#")[1];
  const ada = { user: "ada", password };
  expect((await call("POST", "/setup", {}, { token, ...ada, organization: "acme" })).status).toBe(201);
  const signedIn = await call("POST", "/sessions", {}, { ...ada, carry: "cookie" });
  expect(signedIn).toMatchObject({
    status: 201,
    headers: { "strict-transport-security": "max-age=31536000" },
  });
  const [line = ""] = signedIn.headers["set-cookie"] ?? [];
  expect(line).toMatch(/^__Host-reeve=[^;]+; Path=\/; HttpOnly; SameSite=Lax;.*; Secure$/);
  const cookie = line.split(";")[0] as string;

  const make = (headers: Record<string, string>) =>
    call("PUT", "/organizations/acme/projects/shop", { cookie, ...headers }, {});
  expect((await make({ origin: "https://evil.example" })).status).toBe(403);
  expect((await make({ origin: `http://127.0.0.1:${port}` })).status, "its own address is not public").toBe(
    403,
  );
  expect((await make({})).status, "no page says where it comes from").toBe(403);
  expect((await make({ origin: outside })).status).toBe(201);
  // Under the name that it has without TLS, a neighbour on another port or in plain HTTP could plant one.
  const unbound = { cookie: cookie.replace("__Host-", "") };
  expect((await call("GET", "/whoami", unbound)).status).toBe(401);
  const { items } = JSON.parse((await call("GET", "/sessions", { cookie })).text);
  expect(items.map(({ address }: { address: string }) => address)).toEqual(["192.0.2.77", "192.0.2.77"]);
});

interface Said {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function ask(
  url: string,
  ca: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<Said> {
  const sent = body === undefined ? headers : { "content-type": "application/json", ...headers };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}${path}`,
      { ca, method, headers: sent, agent: false },
      async (incoming) => {
        const parts = await incoming.setEncoding("utf8").toArray();
        resolve({ status: incoming.statusCode, headers: incoming.headers, text: parts.join("") });
      },
    );
    outgoing.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A proxy that ends TLS, for one caller from elsewhere; its address. */
async function proxyTo(bench: Bench, port: number, pair: { cert: string; key: string }): Promise<string> {
  const proxy = createServer(pair, (incoming, answer) => {
    const { method, url: path, headers } = incoming;
    const passed = { ...headers, "x-forwarded-for": "192.0.2.77" };
    const inside = plainRequest({ port, method, path, headers: passed, agent: false }, (said) => {
      answer.writeHead(said.statusCode ?? 502, said.headers);
      said.pipe(answer);
    });
    inside.on("error", () => answer.destroy());
    incoming.pipe(inside);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  bench.keep({ end: () => void proxy.close() });
  return `https://localhost:${(proxy.address() as AddressInfo).port}`;
}
