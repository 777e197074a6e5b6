import type { ServerResponse } from "node:http";
import type { Fault } from "@reeve/model";
import type { Told } from "../../watch/hub.ts";
import type { WatchSink } from "../../watch/watch.ts";
import { problemOf } from "./problem.ts";

/** A reader that lets this much pile up is ended; it can resume from its last id. */
const pileLimitBytes = 8 * 1024 * 1024;

/** Server-sent events. Watchers of one channel share the bytes of a batch. */
export function eventStream(response: ServerResponse, requestId: string): WatchSink {
  let over = false;
  let room: Promise<void> | undefined;
  function send(bytes: Buffer | string): void {
    if (over || response.destroyed) return;
    response.write(bytes);
    if (response.writableLength > pileLimitBytes) {
      over = true;
      response.destroy();
    }
  }
  return {
    tell(batch, chunk) {
      let bytes = chunk.get("sse");
      if (bytes === undefined) {
        bytes = Buffer.from(batch.map(eventText).join(""));
        chunk.set("sse", bytes);
      }
      send(bytes);
      if (!response.writableNeedDrain || response.destroyed) return;
      room ??= roomIn(response).finally(() => {
        room = undefined;
      });
      return room;
    },
    synced: (revision) => send(`event: synced\nid: ${revision}\ndata: {"revision":${revision}}\n\n`),
    end(fault: Fault) {
      send(`event: end\ndata: ${JSON.stringify({ problem: problemOf(fault, requestId).body })}\n\n`);
      over = true;
      response.end();
    },
  };
}

function eventText({ type, revision, object, listed }: Told): string {
  return `event: ${type}\n${listed ? "" : `id: ${revision}\n`}data: {"resource":${object}}\n\n`;
}

/** Resolves when the reader has taken what was written, or is gone. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off("drain", settle);
      response.off("close", settle);
      resolve();
    };
    response.on("drain", settle);
    response.on("close", settle);
  });
}
