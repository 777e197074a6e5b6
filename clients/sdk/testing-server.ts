import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { apiVersion, type JsonObject, newUid, type Resource } from "@reeve/model";

/** One request as the test's server heard it. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A real local server that behaves as badly as a test wants: the handler gets each request with its number. */
export async function badServer(handle: (heard: Heard, answer: ServerResponse, number: number) => void) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://test");
    const { method = "GET", headers } = request;
    const one = { method, headers, path: url.pathname, query: url.searchParams, body: await text(request) };
    heard.push(one);
    handle(one, response, heard.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendJson(
  answer: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  answer.writeHead(status, { "content-type": "application/json", ...headers });
  answer.end(JSON.stringify(body));
}

/** A resource as the server would tell it. */
export function someResource(
  name: string,
  revision: number,
  spec: JsonObject = {},
  uid = newUid(),
): Resource {
  const at = new Date(revision * 1000).toISOString();
  const times = { createdAt: at, updatedAt: at };
  const metadata = {
    scope: "acme",
    name,
    uid,
    generation: 1,
    revision,
    labels: {},
    annotations: {},
    finalizers: [],
  };
  return { apiVersion, kind: "Project", metadata: { ...metadata, ...times }, spec, status: {} };
}
