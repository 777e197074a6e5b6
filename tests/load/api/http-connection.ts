import { randomUUID } from "node:crypto";
import { connect } from "node:net";

/**
 * One keep-alive connection that speaks as much HTTP/1.1 as the server's answers need. Node's own client costs several
 * times as much and would be what limits on two cores.
 */
export interface Connection {
  /** One request at a time. */
  send(request: string): Promise<Answer>;
  close(): void;
}

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

const quietMs = 3000;

export async function openConnection(port: number): Promise<Connection> {
  let wire = await openWire(port);
  let usedAt = performance.now();
  return {
    async send(request) {
      // The server ends what has been quiet for a few seconds, perhaps just now; a client then simply connects again.
      if (wire.closed !== undefined || performance.now() - usedAt > quietMs) {
        wire.end();
        wire = await openWire(port);
      }
      const answer = await wire.send(request);
      usedAt = performance.now();
      return answer;
    },
    close: () => wire.end(),
  };
}

interface Wire {
  readonly closed: Error | undefined;
  send(request: string): Promise<Answer>;
  end(): void;
}

async function openWire(port: number): Promise<Wire> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;
  let held: Buffer | undefined;
  let closed: Error | undefined;

  socket.on("data", (chunk) => {
    held = held === undefined ? chunk : Buffer.concat([held, chunk]);
    const answer = readAnswer(held);
    if (answer === undefined) return;
    held = undefined;
    const { resolve } = waiting ?? unexpected();
    waiting = undefined;
    resolve(answer);
  });
  const fail = (error: Error) => {
    closed ??= error;
    waiting?.reject(closed);
    waiting = undefined;
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the server closed the connection")));
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return {
    get closed() {
      return closed;
    },
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    end: () => socket.destroy(),
  };
}

function unexpected(): never {
  throw new Error("the server answered what was not asked");
}

function readAnswer(held: Buffer): Answer | undefined {
  const end = held.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = held.toString("latin1", 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer of unknown length: ${head}`);
  if (held.length < end + 4 + Number(length)) return undefined;
  return { status: Number(head.slice(9, 12)), head, body: held.subarray(end + 4) };
}

export interface Request {
  readonly method: "GET" | "PUT" | "POST";
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly accept?: string;
}

/** The bytes that the SDK's fetch would send, header for header. A change gets a key of its own, as the SDK gives it. */
export function requestText({ method, path, token, body, accept = "application/json" }: Request): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: localhost",
    "connection: keep-alive",
    `accept: ${accept}`,
    ...(body === undefined ? [] : ["content-type: application/json"]),
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    "user-agent: reeve-bench",
    ...(method === "GET" ? [] : [`idempotency-key: ${randomUUID()}`]),
    "accept-language: *",
    "sec-fetch-mode: cors",
    "accept-encoding: gzip, deflate",
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(text)}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

/** The answer's body as JSON; anything but a success means that there is nothing to measure. */
export function readJson(answer: Answer): unknown {
  if (answer.status < 200 || answer.status >= 300) throw new Error(refusalText(answer));
  return JSON.parse(answer.body.toString());
}

export function refusalText({ status, body }: Answer): string {
  return `the server answered ${status}: ${body.toString().slice(0, 500)}`;
}
