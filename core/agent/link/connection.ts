import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AgentService, type ControlRequest, type ControlResponse } from "@reeve/protocol/agent";
import { callLine } from "./line.ts";

export interface Dialling {
  readonly url: string;
  readonly tls: SecureClientSessionOptions;
  /** Looks at whom we have reached, before anything is said. Throws when it is somebody else. */
  readonly check?: (socket: TLSSocket) => void;
  readonly bearer?: string;
  /** Whoever speaks and is answered all the time by himself needs no pings. */
  readonly pings?: false;
}

/** One HTTP/2 connection to a replica, for as long as it lasts. What is silent for long is taken for lost, at either end. */
export interface Connection {
  readonly client: Client<typeof AgentService>;
  /** The life line; all other calls are the client's. */
  control(requests: AsyncIterable<ControlRequest>, signal: AbortSignal): AsyncIterable<ControlResponse>;
  close(): void;
}

const pingMs = 10_000;
const connectMs = 10_000;
/** What was just said goes out meanwhile. */
const lingerMs = 1000;

export function openConnection({ url, tls, check, bearer, pings }: Dialling): Connection {
  const authority = new URL(url).origin;
  let session: ClientHttp2Session | undefined;
  let socket: Socket | undefined;
  let opening: Promise<ClientHttp2Session> | undefined;
  let pinging: NodeJS.Timeout | undefined;

  function dial(): Promise<ClientHttp2Session> {
    const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
    const dialled = connect(authority, { minVersion: "TLSv1.3", ...tls });
    session = dialled;
    // A machine that is gone does not refuse, it is silent.
    const impatient = setTimeout(() => {
      // Not by its events: of one that is given up now Node may tell nothing more.
      reject(new Error("no answer"));
      destroy();
    }, connectMs);
    dialled.on("error", reject);
    dialled.on("close", () => {
      clearTimeout(impatient);
      clearInterval(pinging);
      reject(new Error("the connection was closed"));
    });
    dialled.on("connect", (_, connected) => {
      clearTimeout(impatient);
      socket = connected;
      try {
        check?.(connected as TLSSocket);
        if (pings !== false) pinging = keepAlive(dialled, connected);
        resolve(dialled);
      } catch (error) {
        reject(error);
        destroy();
      }
    });
    return promise;
  }

  /** The socket, too: of a connection that is reset while it begins Node tells nothing, and lets the session wait for ever (24.21). */
  function destroy(error?: Error): void {
    clearInterval(pinging);
    session?.destroy(error);
    setTimeout(() => socket?.destroy(), lingerMs).unref();
  }

  function keepAlive(dialled: ClientHttp2Session, { bytesRead }: Socket): NodeJS.Timeout {
    let heard = bytesRead;
    const ping = () => dialled.destroyed || dialled.ping(() => {});
    ping();
    return setInterval(() => {
      // Any byte will do: behind much that is on its way the answer to a ping may take long.
      if (socket?.bytesRead === heard) return destroy(new Error(`nothing was heard for ${pingMs / 1000} s`));
      heard = socket?.bytesRead ?? 0;
      ping();
    }, pingMs);
  }

  const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const dialledOnce = () => {
    opening ??= dial();
    return opening;
  };
  // Stands in for Connect's own manager, which pings a destroyed connection and so ends the process (connect-node 2.2.0).
  // It never dials twice: whoever has lost the connection opens another one, perhaps elsewhere.
  const sessionManager = {
    authority,
    async request(method: string, path: string, headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream> {
      return (await dialledOnce()).request({
        ...headers,
        ...authorization,
        ":method": method,
        ":path": path,
      });
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
  return {
    client: createClient(AgentService, transport),
    control: (requests, signal) =>
      callLine(dialledOnce(), AgentService.method.control, requests, { headers: authorization, signal }),
    close: () => destroy(),
  };
}
