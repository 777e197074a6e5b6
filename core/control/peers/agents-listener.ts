import type { X509Certificate } from "node:crypto";
import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { type AddressInfo, createServer as createNet, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import {
  type ConnectRouter,
  type ContextKey,
  type ContextValues,
  createContextKey,
  createContextValues,
} from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { KeyPair } from "../authority/certificate.ts";
import { forwarded, plainAddress } from "../doors/gate.ts";
import { asksFor, type Line, serveLine } from "./line.ts";

/**
 * The agents' port: HTTP/2 over TLS, and without TLS from declared proxies only. It asks everybody for a certificate and trusts
 * none: each service decides by the fingerprint whom it serves (a peer's is in the replica table, an agent's in its own).
 */
export interface AgentsListener {
  readonly port: number;
  /** Shows another certificate to whoever comes from now on. */
  show(pair: KeyPair): void;
  close(): Promise<void>;
}

export interface AgentsListenerOptions {
  readonly host: string;
  readonly port: number;
  /** The setting to name when the address cannot be had. */
  readonly setting: string;
  /** The certificate may have its issuer's behind it. */
  readonly pair: KeyPair;
  /** Addresses of proxies that end TLS and pass on plain HTTP/2. */
  readonly proxies: readonly string[];
  readonly services: readonly PortService[];
}

/** A part of what the port does. */
export interface PortService {
  readonly routes: (router: ConnectRouter) => void;
  readonly line?: Line;
}

/** Where the call comes from; behind a declared proxy, what that saw. */
export const callerAddress: ContextKey<string> = createContextKey("");

/** The caller's certificate, whose key the caller has proved to hold. */
export const callerCertificate: ContextKey<X509Certificate | undefined> = createContextKey<
  X509Certificate | undefined
>(undefined);

const messageLimitBytes = 4 * 1024 * 1024;
const handshakeMs = 10_000;
const silentMs = 120_000;
const graceMs = 1000;

export async function listenForAgents(options: AgentsListenerOptions): Promise<AgentsListener> {
  const tls = {
    ...options.pair,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: "TLSv1.3" as const,
  };
  const valuesOf = (request: Http2ServerRequest): ContextValues =>
    createContextValues()
      .set(callerCertificate, certificateOf(request))
      .set(callerAddress, addressOf(request, options.proxies));
  const calls = connectNodeAdapter({
    routes: (router) => {
      for (const { routes } of options.services) routes(router);
    },
    contextValues: (request) => valuesOf(request as Http2ServerRequest),
    readMaxBytes: messageLimitBytes,
  });
  const lines = options.services.flatMap(({ line }) => line ?? []);
  const handler = (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const line = lines.find((one) => asksFor(one, request));
    if (line === undefined) return calls(request, response);
    const requestHeader = new Headers({ authorization: request.headers.authorization ?? "" });
    const context = { values: valuesOf(request), requestHeader };
    // Whoever cannot even be told is gone, or has to be.
    serveLine(line, request.stream, context, messageLimitBytes).catch(() => request.stream.destroy());
  };
  const secure = createSecureServer({ ...tls, handshakeTimeout: handshakeMs }, handler);
  const plain = createServer(handler);
  const server = options.proxies.length === 0 ? secure : eitherOf(secure, plain, options.proxies);
  const sessions = new Set<ServerHttp2Session>();
  const keep = (session: ServerHttp2Session) => {
    sessions.add(session);
    session.setTimeout(silentMs, () => session.destroy());
    session.on("close", () => sessions.delete(session));
    session.on("error", () => {});
  };
  secure.on("session", keep);
  plain.on("session", keep);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    show: (pair) => secure.setSecureContext({ ...tls, ...pair }),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      const impatient = setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, graceMs);
      await closed;
      clearTimeout(impatient);
    },
  };
}

/** The first byte of a connection tells whether it speaks TLS; whoever does not must be a declared proxy. */
function eitherOf(secure: Server, plain: Server, proxies: readonly string[]): Server {
  return createNet((socket: Socket) => {
    const silent = setTimeout(() => socket.destroy(), handshakeMs);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => clearTimeout(silent));
    socket.once("data", (chunk) => {
      clearTimeout(silent);
      const speaksTls = chunk[0] === tlsHandshake;
      if (!speaksTls && !proxies.includes(plainAddress(socket.remoteAddress ?? "")))
        return void socket.destroy();
      // Nobody has seen these bytes yet: they are put back. TLS fetches them itself, HTTP/2 waits for them to flow.
      socket.pause();
      if (speaksTls) {
        socket.unshift(chunk);
        secure.emit("connection", socket);
      } else {
        plain.emit("connection", socket);
        socket.unshift(chunk);
        socket.resume();
      }
    });
  });
}

const tlsHandshake = 0x16;

function certificateOf({ socket }: Http2ServerRequest): X509Certificate | undefined {
  return (socket as TLSSocket).getPeerX509Certificate?.();
}

function addressOf({ socket, headers }: Http2ServerRequest, proxies: readonly string[]): string {
  const peer = plainAddress(socket.remoteAddress ?? "");
  return proxies.includes(peer) ? forwarded(headers["x-forwarded-for"], peer) : peer;
}

function listenError(error: NodeJS.ErrnoException, { host, port, setting }: AgentsListenerOptions): Error {
  const why = error.code === "EADDRINUSE" ? "another program uses it already" : error.message;
  return new Error(`cannot listen on ${host}:${port}: ${why}; set ${setting} to another address`, {
    cause: error,
  });
}
