import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Socket } from "node:net";
import type { KeyPair } from "../authority/certificate.ts";
import type { Peer } from "./roster.ts";

/**
 * One HTTP/2 connection to a peer, opened again when it is needed and lost. Stands in for Connect's own session manager,
 * which pings a connection after it was destroyed and so ends the process (connect-node 2.2.0, pingIdleConnection).
 */
export interface PeerConnection {
  readonly authority: string;
  readonly state: "connected" | "connecting" | "lost";
  open(): Promise<ClientHttp2Session>;
  request(method: string, path: string, headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream>;
  notifyResponseByteRead(): void;
  close(): void;
}

const connectMs = 2000;
const pingEveryMs = 5000;
const pingAnswerMs = 3000;
/** What was just said goes out meanwhile. */
const lingerMs = 1000;

export function peerConnection(peer: Peer, own: KeyPair): PeerConnection {
  const authority = new URL(`https://${peer.address}`).origin;
  let session: ClientHttp2Session | undefined;
  let socket: Socket | undefined;
  let dialling: ClientHttp2Session | undefined;
  let opening: Promise<ClientHttp2Session> | undefined;

  function forget(lost: ClientHttp2Session): void {
    if (session === lost) session = undefined;
  }

  function dial(): Promise<ClientHttp2Session> {
    const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
    const dialled = connect(authority, pinned(peer, own));
    dialling = dialled;
    // A machine that is gone does not refuse, it is silent.
    const impatient = setTimeout(() => {
      // Not by its events: of one that is given up now Node may tell nothing more.
      reject(new Error("no answer"));
      dialled.destroy();
    }, connectMs);
    let pinging: NodeJS.Timeout | undefined;
    dialled.on("error", reject);
    dialled.on("goaway", () => forget(dialled));
    dialled.on("close", () => {
      clearTimeout(impatient);
      clearInterval(pinging);
      forget(dialled);
      reject(new Error("the connection was closed"));
    });
    dialled.on("connect", (_, connected) => {
      clearTimeout(impatient);
      socket = connected;
      dialled.unref();
      session = dialled;
      pinging = setInterval(() => ping(dialled, connected), pingEveryMs).unref();
      resolve(dialled);
    });
    return promise;
  }

  async function open(): Promise<ClientHttp2Session> {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    opening ??= dial().finally(() => {
      opening = undefined;
      dialling = undefined;
    });
    return opening;
  }

  return {
    authority,
    get state() {
      if (session !== undefined) return "connected";
      return opening === undefined ? "lost" : "connecting";
    },
    open,
    async request(method, path, headers) {
      return (await open()).request({ ...headers, ":method": method, ":path": path });
    },
    notifyResponseByteRead() {},
    close() {
      dialling?.destroy();
      if (session !== undefined) destroy(session, socket);
    },
  };
}

/** The names in a peer's certificate mean nothing: it must be exactly the one that the peer announced. */
function pinned(peer: Peer, own: KeyPair) {
  return {
    ...own,
    ca: peer.certificate,
    // It is signed by the installation's authority, which is not asked here: exactly this one is trusted.
    allowPartialTrustChain: true,
    minVersion: "TLSv1.3" as const,
    checkServerIdentity: (_host: string, shown: { fingerprint256: string }) =>
      shown.fingerprint256 === peer.fingerprint
        ? undefined
        : new Error("not the certificate that the peer announced"),
  };
}

function ping(session: ClientHttp2Session, socket: Socket): void {
  if (session.destroyed) return;
  const unanswered = setTimeout(() => destroy(session, socket), pingAnswerMs);
  session.ping(() => clearTimeout(unanswered));
}

/** The socket, too: of a connection that is reset while it begins Node tells nothing, and lets the session wait for ever (24.21). */
function destroy(session: ClientHttp2Session, socket: Socket | undefined): void {
  session.destroy();
  setTimeout(() => socket?.destroy(), lingerMs).unref();
}
