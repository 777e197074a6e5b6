import { Agent, type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";

/** The engine is not there, or has gone while it was asked. What it manages may well go on. */
export class EngineAway extends Error {
  override readonly name = "EngineAway";
}

interface Asked {
  readonly method?: "GET" | "POST" | "DELETE";
  /** Values that are objects go as JSON, as the API wants its filters. */
  readonly query?: Readonly<Record<string, string | object>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long it may say nothing, where that is longer than usual. */
  readonly quietMs?: number;
  readonly signal?: AbortSignal;
}

/** The Engine API over its socket, in a version that both sides speak. */
export interface EngineSocket {
  /** The answer's body; undefined when there is no such thing. */
  ask(path: string, asked?: Asked): Promise<unknown>;
  /** An answer that goes on for as long as the engine has something to say. */
  stream(path: string, asked?: Asked): Promise<IncomingMessage>;
  /** Asks with a body, and goes on with bytes both ways. */
  hijack(path: string, body: object): Promise<Duplex>;
  close(): void;
}

/** Oldest: Docker 19.03 and Podman 4. Newest: the last one whose answers were read. */
const [oldest, newest] = ["1.40", "1.47"];

const quietMs = 30_000;
const bodyMost = 64 * 1024 ** 2;

/** `host` as in DOCKER_HOST. */
export function openSocket(host: string): EngineSocket {
  const { protocol, pathname: socketPath } = new URL(host);
  if (protocol !== "unix:")
    throw new Error(`${host}: an agent uses the engine of its own host, so write unix:///path/of/the.sock`);
  // As many as an engine answers at once without others having to wait for us; more than that queue up here.
  const agent = new Agent({ maxSockets: 8 });
  const away = (why: string) => new EngineAway(`Docker does not answer at ${socketPath}: ${why}`);
  let version: Promise<string> | undefined;

  async function send(path: string, asked: Asked, mayWait: boolean): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request({
      socketPath,
      path: `${path}${queryOf(asked.query)}`,
      method: asked.method ?? "GET",
      // A stream holds its connection for good and must not keep others waiting.
      agent: mayWait ? false : agent,
      headers: {
        host: "docker",
        ...asked.headers,
        ...(asked.body && { "content-type": "application/json" }),
      },
      ...(mayWait ? {} : { timeout: asked.quietMs ?? quietMs }),
      ...(asked.signal === undefined ? {} : { signal: asked.signal }),
    });
    sent.on("timeout", () => sent.destroy(new Error(`silent for ${(asked.quietMs ?? quietMs) / 1000} s`)));
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // The next one to come up may be of another version.
      version = undefined;
      reject(away(error.code ?? error.message));
    });
    sent.on("response", resolve);
    sent.end(asked.body && JSON.stringify(asked.body));
    return promise;
  }

  async function agreed(): Promise<string> {
    version ??= send("/version", {}, false).then(bodyOf).then(agreeOnVersion);
    // One who was refused asks anew: the engine may have been replaced by then.
    return version.catch((error: unknown) => {
      version = undefined;
      throw error;
    });
  }

  async function hijack(path: string, body: object): Promise<Duplex> {
    const prefix = `/v${await agreed()}`;
    return new Promise((resolve, reject) => {
      const sent = request({
        ...{ socketPath, path: prefix + path, method: "POST", agent: false },
        headers: {
          ...{ host: "docker", connection: "Upgrade", upgrade: "tcp" },
          "content-type": "application/json",
        },
      });
      sent.on("upgrade", (_, socket, head) => {
        socket.unshift(head);
        resolve(socket);
      });
      sent.on("response", (response) => {
        bodyOf(response).then((told) => {
          const { message = `status ${response.statusCode}` } = told as { message?: string };
          reject(new Error(`Docker refused POST ${path}: ${message}`));
        }, reject);
      });
      sent.on("error", (error: NodeJS.ErrnoException) => reject(away(error.code ?? error.message)));
      sent.end(JSON.stringify(body));
    });
  }

  async function sendVersioned(path: string, asked: Asked, mayWait: boolean): Promise<IncomingMessage> {
    const response = await send(`/v${await agreed()}${path}`, asked, mayWait);
    const status = response.statusCode ?? 0;
    if (status < 400 || status === 404) return response;
    const told = (await bodyOf(response)) as { message?: string } | undefined;
    throw new Error(
      `Docker refused ${asked.method ?? "GET"} ${path}: ${told?.message ?? `status ${status}`}`,
    );
  }

  async function bodyOf(response: IncomingMessage): Promise<unknown> {
    const parts: Buffer[] = [];
    let length = 0;
    try {
      for await (const part of response as AsyncIterable<Buffer>) {
        parts.push(part);
        length += part.length;
        if (length > bodyMost) throw new Error(`more than ${bodyMost / 1024 ** 2} MB in one answer`);
      }
    } catch (error) {
      throw away((error as Error).message);
    }
    const text = Buffer.concat(parts).toString("utf8");
    return text === "" ? {} : JSON.parse(text);
  }

  return {
    async ask(path, asked = {}) {
      const response = await sendVersioned(path, asked, false);
      const body = await bodyOf(response);
      return response.statusCode === 404 ? undefined : body;
    },
    hijack,
    stream: (path, asked = {}) => sendVersioned(path, asked, true),
    close: () => agent.destroy(),
  };
}

function queryOf(query: Asked["query"] = {}): string {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return texts.length === 0 ? "" : `?${new URLSearchParams(texts)}`;
}

function agreeOnVersion(body: unknown): string {
  const { ApiVersion: theirs = oldest, MinAPIVersion: least = oldest } = body as {
    ApiVersion?: string;
    MinAPIVersion?: string;
  };
  const agreed = isOlder(theirs, newest) ? theirs : newest;
  if (isOlder(agreed, oldest))
    throw new Error(
      `Docker speaks version ${theirs} of its API: update it to one that speaks ${oldest} or later`,
    );
  if (isOlder(agreed, least))
    throw new Error(
      `Docker speaks only version ${least} of its API or later: update this agent, which knows ${newest}`,
    );
  return agreed;
}

/** By numbers, and not by the rules of a language, which are 3 MB of memory. */
function isOlder(one: string, other: string): boolean {
  const [a = "", b = ""] = [one, other].map((version) =>
    version.replaceAll(/\d+/g, (part) => part.padStart(4, "0")),
  );
  return a < b;
}
