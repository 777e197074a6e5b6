import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AgentService } from "@reeve/protocol/agent";

export interface Dialling {
  readonly url: string;
  readonly tls: SecureClientSessionOptions;
  /** Looks at whom we have reached, before anything is said. Throws when it is somebody else. */
  readonly check?: (socket: TLSSocket) => void;
  readonly bearer?: string;
}

/** One HTTP/2 connection to a replica, for as long as it lasts. */
export interface Connection {
  readonly client: Client<typeof AgentService>;
  /** Pings now and then: what is silent for long is taken for lost, at either end. */
  keepAlive(): void;
  close(): void;
}

const pingMs = 20_000;
const connectMs = 10_000;

export function openConnection({ url, tls, check, bearer }: Dialling): Connection {
  const authority = new URL(url).origin;
  let session: ClientHttp2Session | undefined;
  let opening: Promise<ClientHttp2Session> | undefined;

  function dial(): Promise<ClientHttp2Session> {
    const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
    const dialled = connect(authority, { minVersion: "TLSv1.3", ...tls });
    session = dialled;
    // A machine that is gone does not refuse, it is silent.
    const impatient = setTimeout(() => dialled.destroy(new Error("no answer")), connectMs);
    dialled.on("error", reject);
    dialled.on("close", () => {
      clearTimeout(impatient);
      reject(new Error("the connection was closed"));
    });
    dialled.on("connect", (_, socket) => {
      clearTimeout(impatient);
      try {
        check?.(socket as TLSSocket);
        resolve(dialled);
      } catch (error) {
        reject(error);
        dialled.destroy();
      }
    });
    return promise;
  }

  // Stands in for Connect's own manager, which pings a destroyed connection and so ends the process (connect-node 2.2.0).
  // It never dials twice: whoever has lost the connection opens another one, perhaps elsewhere.
  const sessionManager = {
    authority,
    async request(method: string, path: string, headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream> {
      opening ??= dial();
      const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      return (await opening).request({ ...headers, ...authorization, ":method": method, ":path": path });
    },
    notifyResponseByteRead() {},
  };
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "2",
    sessionManager,
    useBinaryFormat: true,
    acceptCompression: [],
  });
  let pinging: NodeJS.Timeout | undefined;
  return {
    client: createClient(AgentService, transport),
    keepAlive() {
      pinging ??= setInterval(() => {
        if (session?.destroyed === false && !session.connecting) session.ping(() => {});
      }, pingMs);
    },
    close() {
      clearInterval(pinging);
      session?.destroy();
    },
  };
}
