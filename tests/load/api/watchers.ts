import { connect, type Socket } from "node:net";
import { clock } from "../measure/clock.ts";
import type { Load } from "../measure/generator.ts";
import { changeMark } from "./changes.ts";
import { requestText } from "./http-connection.ts";
import { collectionPath } from "./population.ts";

export interface WatchersResult {
  /** The number of each change that arrived, and when, over all watchers. */
  readonly numbers: Uint32Array;
  readonly arrivedAt: Float64Array;
  readonly outOfOrder: number;
  /** Watches that the server ended. */
  readonly ended: number;
}

export interface WatchersOpening {
  readonly port: number;
  readonly token: string;
  /** How many watchers each project's list gets, by the project's number. */
  readonly perProject: readonly number[];
  /** The revision that everything has been seen up to. */
  readonly since: number;
}

const openAtOnce = 50;

/** Real event streams. Opened once they have all been told that they are in step; a window begins or ends the count. */
export const watchers: Load<
  WatchersOpening,
  { expected: number } | "arrivals",
  WatchersResult | undefined
> = async ({ port, token, perProject, since }) => {
  let numbers = new Uint32Array(0);
  let arrivedAt = new Float64Array(0);
  let arrived = 0;
  let outOfOrder = 0;
  let ended = 0;
  // All watchers read into one piece of memory: 100,000 events a second would otherwise make as many buffers.
  const buffer = Buffer.allocUnsafe(1 << 20);

  function watch(project: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      let held = "";
      let last = 0;
      const take = (bytes: number) => {
        const at = clock();
        const text = held + buffer.toString("latin1", 0, bytes);
        let from = 0;
        for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", from)) {
          read(text, from, end, at);
          from = end + 2;
        }
        held = text.slice(from);
        return true;
      };
      const read = (text: string, from: number, end: number, at: number) => {
        const mark = text.indexOf(changeMark, from);
        if (mark < 0 || mark > end) {
          const event = text.slice(from, end);
          if (event.includes("event: synced")) resolve(socket);
          if (event.includes("event: end")) ended++;
          return;
        }
        const revision = numberAt(text, text.indexOf("\nid: ", from) + 5);
        if (!(revision > last)) outOfOrder++;
        last = revision;
        if (arrived === numbers.length) return;
        numbers[arrived] = numberAt(text, mark + changeMark.length);
        arrivedAt[arrived++] = at;
      };
      const socket = connect({ port, host: "127.0.0.1", onread: { buffer, callback: take } });
      socket.once("error", reject);
      socket.once("close", () => {
        ended++;
        reject(new Error(`a watch was refused: ${held.slice(0, 500)}`));
      });
      const path = `${collectionPath(project)}?watch=true&since=${since}`;
      socket.write(requestText({ method: "GET", path, token, accept: "text/event-stream" }));
    });
  }

  const wanted = perProject.flatMap((count, project) => Array<number>(count).fill(project));
  for (let at = 0; at < wanted.length; at += openAtOnce)
    await Promise.all(wanted.slice(at, at + openAtOnce).map(watch));
  return async (input) => {
    if (input === "arrivals")
      return {
        numbers: numbers.slice(0, arrived),
        arrivedAt: arrivedAt.slice(0, arrived),
        outOfOrder,
        ended,
      };
    arrived = 0;
    numbers = new Uint32Array(input.expected);
    arrivedAt = new Float64Array(input.expected);
    return undefined;
  };
};

function numberAt(text: string, at: number): number {
  return Number.parseInt(text.slice(at, at + 16), 10);
}
