import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** An image registry in memory: the part of the distribution protocol that Docker pushes and pulls by, for one user. */
export async function startRegistry(port: number, user: string, password: string): Promise<void> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, { readonly type: string; readonly body: Buffer }>();
  const uploads = new Map<string, Buffer>();
  const proof = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://registry");
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const body = Buffer.concat(parts);
    const end = (status: number, more: Record<string, string> = {}, content?: Buffer) => {
      response.writeHead(status, { "docker-distribution-api-version": "registry/2.0", ...more });
      response.end(method === "HEAD" ? undefined : content);
    };
    if (headers.authorization !== proof) return end(401, { "www-authenticate": 'Basic realm="test"' });
    if (pathname === "/v2/") return end(200);
    const [, name = "", part, rest = ""] =
      /^\/v2\/(.+)\/(manifests|blobs\/uploads|blobs)\/(.*)$/.exec(pathname) ?? [];
    if (part === "blobs/uploads") {
      const id = method === "POST" ? randomUUID() : rest;
      const sofar = Buffer.concat([uploads.get(id) ?? Buffer.alloc(0), body]);
      uploads.set(id, sofar);
      const range = `0-${Math.max(0, sofar.length - 1)}`;
      if (method !== "PUT") return end(202, { location: `/v2/${name}/blobs/uploads/${id}`, range });
      blobs.set(searchParams.get("digest") ?? "", sofar);
      return end(201);
    }
    if (part === "manifests" && method === "PUT") {
      const digest = digestOf(body);
      for (const key of [rest, digest])
        manifests.set(`${name} ${key}`, { type: headers["content-type"] ?? "", body });
      return end(201, { "docker-content-digest": digest });
    }
    const found =
      part === "manifests"
        ? manifests.get(`${name} ${rest}`)
        : { type: "application/octet-stream", body: blobs.get(rest) };
    if (found?.body === undefined) return end(404);
    const digest = digestOf(found.body);
    const told = { "content-type": found.type, "content-length": String(found.body.length) };
    end(200, { ...told, "docker-content-digest": digest }, found.body);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
}

function digestOf(body: Buffer): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}
