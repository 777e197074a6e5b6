import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { AttemptOrder, InnerBody, InnerOutcome } from "@reeve/agent";
import type { JsonObject } from "@reeve/model";
import { expect, onTestFinished, test } from "vitest";
import { http } from "./http.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function perform(asked: JsonObject, signal = new AbortController().signal) {
  const body = (await http.prepare({ with: asked } as AttemptOrder)) as InnerBody;
  let out = "";
  let err = "";
  const outcome: InnerOutcome = await body.run({
    signal,
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
  });
  return { ...outcome, out, err };
}

test("a request's answer is the log and the outputs; JSON is given on as what it means", async () => {
  const seen: { request: IncomingMessage; body: string }[] = [];
  const url = await serve((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      seen.push({ request, body });
      response.setHeader("content-type", "application/json").end('{"ok": true}');
    });
  });
  const done = await perform({
    method: "POST",
    url,
    body: { a: 1 },
    headers: { "X-K": "v" },
    allowPrivate: true,
  });
  expect(done).toMatchObject({
    outcome: "succeeded",
    outputs: { status: 200, body: { ok: true } },
    out: '{"ok": true}\n',
  });
  expect(seen[0]?.body).toBe('{"a":1}');
  expect(seen[0]?.request.headers).toMatchObject({ "content-type": "application/json", "x-k": "v" });
});

test("what is not expected fails, with what was answered", async () => {
  const url = await serve((_, response) => response.writeHead(503).end("down"));
  expect(await perform({ url, allowPrivate: true })).toMatchObject({
    outcome: "failed",
    why: "answered 503",
    out: "down\n",
  });
  expect(await perform({ url, allowPrivate: true, expect: { status: [503] } })).toMatchObject({
    outcome: "succeeded",
  });
  const contains = await perform({ url, allowPrivate: true, expect: { status: 503, contains: "up" } });
  expect(contains).toMatchObject({ outcome: "failed", why: 'the answer does not contain "up"' });
});

test("private addresses are refused unless the step allows them, however they are written", async () => {
  let asked = 0;
  const url = await serve((_, response) => response.end(`${++asked}`));
  const port = new URL(url).port;
  for (const shut of [url, `http://localhost:${port}`, `http://[::1]:${port}`, `http://2130706433:${port}`]) {
    const refused = await perform({ url: shut });
    expect(refused).toMatchObject({ outcome: "failed", final: true });
    expect(refused.why).toContain("private address");
  }
  expect(asked).toBe(0);
});

test("redirects are followed; a redirect takes no credentials to another origin", async () => {
  let authorization: string | undefined = "not asked";
  const other = await serve((request, response) => {
    authorization = request.headers.authorization;
    response.end("there");
  });
  const url = await serve((_, response) => response.writeHead(302, { location: other }).end());
  const done = await perform({ url, allowPrivate: true, headers: { Authorization: "Bearer secret" } });
  expect(done).toMatchObject({ outcome: "succeeded", out: "there\n" });
  expect(authorization).toBeUndefined();
});

test("a long answer is cut, and one that never ends can be stopped", async () => {
  const long = await serve((_, response) => response.end("x".repeat(3_000_000)));
  const cut = await perform({ url: long, allowPrivate: true });
  expect(cut.out.length).toBe(1024 * 1024 + 1);
  expect(cut.err).toContain("the rest was left");
  const stop = new AbortController();
  const endless = await serve((_, response) => {
    response.write("begun");
    stop.abort();
  });
  expect(await perform({ url: endless, allowPrivate: true }, stop.signal)).toMatchObject({
    outcome: "failed",
  });
});

test("what cannot be asked is refused before anything is sent", async () => {
  for (const bad of [
    {},
    { url: "file:///etc/passwd" },
    { url: "http://a", headers: { "a b": "c" } },
    { url: "http://a", headers: { a: "b\r\nc: d" } },
  ])
    await expect(perform(bad as JsonObject)).rejects.toThrow("with.");
});
