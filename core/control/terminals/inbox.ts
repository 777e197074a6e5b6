import { openPipe } from "@reeve/model";
import type { WebSocket } from "ws";

/** What a person has sent, in order; it waits here until somebody takes it. */
export type Inbox = AsyncIterator<{ readonly data: Buffer; readonly isBinary: boolean }, void>;

/** Beyond this, no more is read from the person. */
const mostWaiting = 256 * 1024;

export function openInbox(ws: WebSocket): Inbox {
  const pipe = openPipe<{ data: Buffer; isBinary: boolean }>();
  let waiting = 0;
  ws.on("message", (data: Buffer, isBinary) => {
    waiting += data.length;
    if (waiting > mostWaiting) ws.pause();
    void pipe.push({ data, isBinary }).then(() => {
      waiting -= data.length;
      if (waiting <= mostWaiting && ws.isPaused) ws.resume();
    });
  });
  ws.on("close", pipe.end);
  return pipe[Symbol.asyncIterator]();
}
