import { type Connection, openConnection } from "./http-connection.ts";

/**
 * Sends at fixed moments whether or not the answers come, as a crowd would: what has to wait for a free connection
 * counts its waiting (no coordinated omission).
 */
export interface OpenLoop {
  run(plan: Plan): Promise<void>;
}

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
        let next = 0;
        let done = 0;
        const stop = (error?: unknown) => {
          clearInterval(timer);
          if (error === undefined) resolve();
          else reject(error);
        };
        const pump = () => {
          while (next < count && intended(next) <= performance.now()) {
            // The longest idle one, so that none falls silent.
            const connection = free.shift();
            if (connection === undefined) return;
            const turn = next++;
            send(turn, connection, intended(turn)).then(() => {
              free.push(connection);
              if (++done === count) stop();
              else pump();
            }, stop);
          }
        };
        const timer = setInterval(pump, 1);
      }),
  };
}
