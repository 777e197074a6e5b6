import { faultFromAnswer } from "./call-fault.ts";
import type { Socket } from "./socket.ts";
import { unreachable } from "./unreachable.ts";

/** By a library, because Node's own cannot be told whom to trust. Loaded when it is needed. */
export async function openSocket(
  url: string,
  headers: Readonly<Record<string, string>>,
  ca: string | undefined,
): Promise<Socket> {
  const { WebSocket } = await import("ws");
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      headers,
      perMessageDeflate: false,
      ...(ca === undefined ? {} : { ca }),
    });
    socket.on("open", () => resolve(socket as unknown as Socket));
    socket.on("error", (error) => reject(unreachable(url, error)));
    socket.on("unexpected-response", (_, { statusCode = 0, headers: said }) =>
      reject(faultFromAnswer(statusCode, (name) => String(said[name] ?? ""), undefined)),
    );
  });
}
