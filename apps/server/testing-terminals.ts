import { once } from "node:events";
import { WebSocket } from "ws";
import type { TestServer } from "./testing.ts";

/** A terminal as a browser or the command line opens it. */
export async function openTerminal(server: TestServer, token: string, ticket: string, headers: object = {}) {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/v1/terminals`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const texts: { end?: object; problem?: { detail: string } }[] = [];
  let shown = "";
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) shown += data.subarray(1).toString();
    else texts.push(JSON.parse(String(data)));
  });
  const closed = once(socket, "close");
  await once(socket, "open");
  socket.send(JSON.stringify({ ticket, size: { rows: 10, columns: 20 } }));
  return { socket, texts, closed, shown: () => shown };
}
