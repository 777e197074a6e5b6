import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Fault } from "@reeve/model";
import { WebSocketServer } from "ws";
import type { Context } from "../context.ts";
import type { Arrival, Gate } from "../doors/gate.ts";
import type { Readiness } from "../doors/readiness.ts";
import { problemOf } from "../doors/rest/problem.ts";
import { unauthenticated } from "../guard/authorise.ts";
import { serveTerminal } from "./serve.ts";

export interface TerminalDoorOptions {
  readonly gate: Gate;
  readonly readiness: Pick<Readiness, "check">;
  /** Where our own pages come from. */
  readonly publicUrl: () => string;
}

const path = "/api/v1/terminals";
const mostBytes = 1024 ** 2;

/** Terminals, by WebSocket: the caller's credential lets them knock, a ticket lets them in. */
export function terminalDoor(
  context: Context,
  options: TerminalDoorOptions,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const server = new WebSocketServer({ noServer: true, maxPayload: mostBytes, perMessageDeflate: false });

  async function arrive(request: IncomingMessage, socket: Duplex): Promise<Arrival> {
    if (request.url?.split("?")[0] !== path)
      throw new Fault("not_found", "there is no WebSocket here", { next: `terminals are at ${path}` });
    options.readiness.check();
    const arrival = await options.gate.arrive(request, { use: "watch", answer: socket });
    if (arrival.caller === undefined) throw unauthenticated();
    // A browser sends its cookie along with what other sites' pages open.
    const { origin } = new URL(options.publicUrl());
    if (arrival.credential?.carried === "cookie" && request.headers.origin !== origin)
      throw new Fault("forbidden", "this request came from another site", { next: "use Reeve's own pages" });
    return arrival;
  }

  return (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    arrive(request, socket).then(
      (arrival) =>
        server.handleUpgrade(request, socket, head, (ws) => {
          void serveTerminal(context, arrival, ws);
        }),
      (error: unknown) => refuse(socket, error),
    );
  };
}

function refuse(socket: Duplex, error: unknown): void {
  const { status, body } = problemOf(error, "");
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}
