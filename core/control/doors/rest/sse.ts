import type { ServerResponse } from "node:http";
import type { Fault } from "@reeve/model";
import { roomIn } from "@reeve/protocol/room-in";
import type { FastifyReply } from "fastify";
import { type EventOut, eventText } from "../../route.ts";
import type { Told } from "../../watch/hub.ts";
import type { WatchSink } from "../../watch/watch.ts";
import { problemOf } from "./problem.ts";

/** A reader that has let this much pile up is ended when there is more; it can resume from its last id. One batch alone may be larger. */
const pileLimitBytes = 8 * 1024 * 1024;

/** From here on the answer is a stream: faults are told in it. */
export function beginEvents(reply: FastifyReply, requestId: string): void {
  reply.hijack();
  reply.raw.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-request-id": requestId,
  });
  reply.raw.flushHeaders?.();
}

/** Server-sent events, one after the other, to one reader. */
export function eventOut(response: ServerResponse, requestId: string): EventOut {
  let over = false;
  let room: Promise<void> | undefined;
  function tell(bytes: Buffer | string): undefined | Promise<void> {
    if (over || response.destroyed) return undefined;
    if (response.writableLength > pileLimitBytes) {
      over = true;
      response.destroy();
      return undefined;
    }
    response.write(bytes);
    if (!response.writableNeedDrain) return undefined;
    room ??= roomIn(response).finally(() => {
      room = undefined;
    });
    return room;
  }
  return {
    tell,
    end(fault?: Fault) {
      if (fault !== undefined)
        void tell(eventText("end", { problem: problemOf(fault, requestId).body as never }));
      over = true;
      response.end();
    },
  };
}

/** A watch as server-sent events. Watchers of one channel share the bytes of a batch. */
export function watchEvents(out: EventOut): WatchSink {
  return {
    tell(batch, chunk) {
      let bytes = chunk.get("sse");
      if (bytes === undefined) {
        bytes = Buffer.from(batch.map(changeText).join(""));
        chunk.set("sse", bytes);
      }
      return out.tell(bytes);
    },
    synced: (revision) => void out.tell(eventText("synced", { revision }, revision)),
    end: out.end,
  };
}

/** The object is JSON text already. */
function changeText({ type, revision, object, listed }: Told): string {
  return `event: ${type}\n${listed ? "" : `id: ${revision}\n`}data: {"resource":${object}}\n\n`;
}
