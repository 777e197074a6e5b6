import { type Connection, openConnection } from "./http-connection.ts";

/**
 * Sends at fixed moments whether or not the answers come, as a crowd would: what has to wait for a free connection
 * counts its waiting (no coordinated omission).
 */
export interface OpenLoop {
  /** How many were sent: fewer than planned when it fell too far behind and was cut off. */
  run(plan: Plan): Promise<number>;
}

/** So far behind, a server no longer answers a crowd: going on would measure only how long the queue has become. */
const overloadMs = 3000;

export interface Plan {
  readonly perSecond: number;
  readonly count: number;
  /** One request. `intendedAt` is when it should have been sent, by `performance.now()`. */
  readonly send: (turn: number, connection: Connection, intendedAt: number) => Promise<void>;
}

export async function openLoop(port: number, connections: number): Promise<OpenLoop> {
  const free = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  return {
    run: ({ perSecond, count, send }) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now() + 5;
        const intended = (turn: number) => startedAt + (turn * 1000) / perSecond;
        let last = count;
        let next = 0;
        let done = 0;
        const stop = (error?: unknown) => {
          clearInterval(timer);
          if (error === undefined) resolve(last);
          else reject(error);
        };
        const pump = () => {
          if (next < last && performance.now() - intended(next) > overloadMs) {
            last = next;
            if (done === last) return stop();
          }
          while (next < last && intended(next) <= performance.now()) {
            // The longest idle one, so that none falls silent.
            const connection = free.shift();
            if (connection === undefined) return;
            const turn = next++;
            send(turn, connection, intended(turn)).then(() => {
              free.push(connection);
              if (++done === last) stop();
              else pump();
            }, stop);
          }
        };
        const timer = setInterval(pump, 1);
      }),
  };
}
