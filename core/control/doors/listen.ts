import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import {
  createServer as createHttp2,
  createSecureServer,
  type Http2SecureServer,
  type Http2Server,
} from "node:http2";
import { type AddressInfo, createServer as createNet, type Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Fault, newUid } from "@reeve/model";
import { isLoopback, plainAddress } from "./gate.ts";
import { problemOf } from "./rest/problem.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Listener {
  readonly port: number;
  /** Takes no new connections, lets answers under way end, then closes what is left. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The setting to name when the address cannot be had. */
  readonly setting: string;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Without TLS only these and this machine are answered. */
  readonly proxies: readonly string[];
  readonly handler: Handler;
  /** What is to become a WebSocket. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/**
 * One port for HTTP/1.1 and HTTP/2. With TLS the protocol is agreed upon in the handshake; without (loopback, declared proxies),
 * gRPC clients begin with the HTTP/2 preface, so the first bytes of a connection decide who gets it.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  const { front, backs } = options.tls ? secureServer(options.tls, options.handler) : plainServers(options);
  // Only HTTP/1.1 has them here: browsers and our own clients use it for that.
  if (options.upgrade) backs[0]?.on("upgrade", options.upgrade);
  front.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    front.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, options)));
    front.listen(options.port, options.host, resolve);
  });
  return {
    port: (front.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => front.close(() => resolve()));
      for (const back of backs) {
        if ("closeIdleConnections" in back) back.closeIdleConnections();
        back.emit("reeve-drain");
      }
      // Opened in advance, as browsers do: nothing was asked on these.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      const poll = setInterval(() => {
        for (const back of backs) if ("closeIdleConnections" in back) back.closeIdleConnections();
      }, 50);
      await closed;
      clearInterval(poll);
      clearTimeout(timer);
    },
  };
}

type Back = Server | Http2Server | Http2SecureServer;

function secureServer(
  tls: { cert: string; key: string },
  handler: Handler,
): { front: NetServer; backs: Back[] } {
  const server = createSecureServer({ ...tls, allowHTTP1: true, minVersion: "TLSv1.2" }, handler as never);
  drainSessions(server);
  return { front: server, backs: [server] };
}

function plainServers({ handler, proxies }: ListenOptions): { front: NetServer; backs: Back[] } {
  const one = createHttp({ requestTimeout: 60_000, headersTimeout: 20_000 }, handler);
  // It never listens itself; without this it watches over no connection: no timeouts, and none is known to be idle.
  one.emit("listening");
  const two = createHttp2(handler as never);
  drainSessions(two);
  const front = createNet((socket) => {
    const peer = plainAddress(socket.remoteAddress ?? "");
    if (!isLoopback(peer) && !proxies.includes(peer)) return refusePlain(socket, peer);
    // Nobody has seen these bytes yet: they are put back before the chosen server takes the socket over.
    const silent = setTimeout(() => socket.destroy(), 20_000);
    socket.on("error", () => socket.destroy());
    socket.once("data", (chunk) => {
      clearTimeout(silent);
      socket.pause();
      const back = chunk.subarray(0, 3).toString("latin1") === "PRI" ? two : one;
      back.emit("connection", socket);
      socket.unshift(chunk);
      socket.resume();
    });
    socket.once("close", () => clearTimeout(silent));
  });
  return { front, backs: [one, two] };
}

/** Whatever such a peer sends is not looked at: its passwords and tokens cross the network in the clear. */
function refusePlain(socket: Socket, peer: string): void {
  const fault = new Fault(
    "forbidden",
    `plain HTTP is answered on the server's own machine only, not to ${peer}`,
    {
      next: "use https:// (REEVE_TLS_CERT and REEVE_TLS_KEY, or REEVE_TLS_SELF_MADE, on the server); if this is the address of your TLS-terminating proxy, name it in REEVE_TRUSTED_PROXIES",
    },
  );
  const body = JSON.stringify(problemOf(fault, newUid()).body);
  socket.on("error", () => socket.destroy());
  socket.end(
    `HTTP/1.1 403 Forbidden\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  // Thrown away as it comes: a connection that closes over unread bytes takes the answer with it.
  socket.resume();
  const patience = setTimeout(() => socket.destroy(), 2000);
  socket.once("close", () => clearTimeout(patience));
}

/** HTTP/2 connections stay open between requests: on a drain each is told to finish and go. */
function drainSessions(server: Http2Server | Http2SecureServer): void {
  const sessions = new Set<{ close(): void }>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => {});
  });
  server.on("reeve-drain" as never, () => {
    for (const session of sessions) session.close();
  });
}

function listenError(error: NodeJS.ErrnoException, { host, port, setting }: ListenOptions): Error {
  const why: Record<string, string> = {
    EADDRINUSE: "another program uses it already",
    EACCES: "this user may not use that port",
    EADDRNOTAVAIL: "this machine has no such address",
  };
  return new Error(
    `cannot listen on ${host}:${port}: ${why[error.code ?? ""] ?? error.message}; set ${setting} to another address`,
  );
}
