import { createSecureServer, type Http2ServerRequest, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import {
  type ConnectRouter,
  type ContextKey,
  createContextKey,
  createContextValues,
} from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { KeyPair } from "../certificate.ts";

/**
 * The agents' port: TLS and HTTP/2 only. It asks everybody for a certificate and trusts none: each service decides by the
 * fingerprint whom it serves (a peer's is in the replica table).
 */
export interface AgentsListener {
  readonly port: number;
  close(): Promise<void>;
}

export interface AgentsListenerOptions {
  readonly host: string;
  readonly port: number;
  /** The setting to name when the address cannot be had. */
  readonly setting: string;
  readonly pair: KeyPair;
  readonly services: readonly ((router: ConnectRouter) => void)[];
}

/** The SHA-256 fingerprint of the caller's certificate, whose key the caller has proved to hold. */
export const callerFingerprint: ContextKey<string | undefined> = createContextKey<string | undefined>(
  undefined,
);

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
  const handler = connectNodeAdapter({
    routes: (router) => {
      for (const add of options.services) add(router);
    },
    contextValues: (request) =>
      createContextValues().set(callerFingerprint, fingerprintOf(request as Http2ServerRequest)),
    readMaxBytes: messageLimitBytes,
  });
  const server = createSecureServer({ ...tls, handshakeTimeout: handshakeMs }, handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.setTimeout(silentMs, () => session.destroy());
    session.on("close", () => sessions.delete(session));
    session.on("error", () => {});
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
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

function fingerprintOf(request: Http2ServerRequest): string | undefined {
  return (request.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256;
}

function listenError(error: NodeJS.ErrnoException, { host, port, setting }: AgentsListenerOptions): Error {
  const why = error.code === "EADDRINUSE" ? "another program uses it already" : error.message;
  return new Error(`cannot listen on ${host}:${port}: ${why}; set ${setting} to another address`, {
    cause: error,
  });
}
