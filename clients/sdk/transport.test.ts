import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Project } from "@reeve/access/kinds";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "./index.ts";
import { badServer, sendJson, someResource } from "./testing-server.ts";

/** Debian has it; a certificate made here lives as long as the test. */
const maker = "openssl";
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "reeve-tls-"));
  for (const name of ["own", "other"]) makeCertificate(name);
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a self-made certificate is refused with advice, trusted when pinned, and nothing else is then", async () => {
  const server = createServer({ key: file("own.key"), cert: file("own.crt") }, (_request, answer) =>
    sendJson(answer, 200, { version: "1" }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  try {
    await expect(connect({ url }).server()).rejects.toMatchObject({
      kind: "unavailable",
      next: /--ca FILE/,
      retryable: false,
    });
    expect(await connect({ url, ca: file("own.crt") }).server()).toEqual({ version: "1" });
    await expect(connect({ url, ca: file("other.crt") }).server()).rejects.toMatchObject({
      next: /--ca FILE/,
    });
    const byAddress = url.replace("localhost", "127.0.0.1");
    await expect(connect({ url: byAddress, ca: file("own.crt") }).server()).rejects.toThrow(/not valid/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("plain HTTP where TLS was meant is said in words", async () => {
  await using server = await badServer((_heard, answer) => sendJson(answer, 200, {}));
  const client = connect({ url: server.url.replace("http:", "https:"), retry: { attempts: 1, withinMs: 0 } });
  await expect(client.server()).rejects.toThrow(/does not speak TLS/);
});

test("a fetch of one's own carries calls and watches alike", async () => {
  await using server = await badServer((heard, answer) => {
    if (!heard.query.has("watch")) return sendJson(answer, 200, someResource("shop", 7));
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.write(`event: added\nid: 7\ndata: ${JSON.stringify({ resource: someResource("shop", 7) })}\n\n`);
  });
  let calls = 0;
  const counting: typeof fetch = (input, init) => {
    calls++;
    return fetch(input, init);
  };
  const projects = connect({ url: server.url, fetch: counting }).kind(Project);
  expect((await projects.get("acme", "shop")).metadata.revision).toBe(7);
  for await (const event of projects.watch("acme")) {
    expect(event.type).toBe("added");
    break;
  }
  expect(calls).toBe(2);
});

function makeCertificate(name: string): void {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync(maker, ["req", "-x509", ...key, "-days", "2", ...subject, ...files], { stdio: "ignore" });
}

function file(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
