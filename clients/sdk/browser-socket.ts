import { CallFault } from "./call-fault.ts";
import type { Socket } from "./socket.ts";

/** The browser sends its cookie by itself, and decides whom to trust. */
export function openSocket(url: string, _headers: object, _ca: string | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.onopen = () => resolve(socket as unknown as Socket);
    socket.onerror = () =>
      reject(
        new CallFault("unavailable", "the connection for the terminal was refused", {
          next: "try again; a proxy before Reeve has to let WebSockets through",
        }),
      );
  });
}
