import { clock } from "../measure/clock.ts";
import type { Load } from "../measure/generator.ts";
import { refusalText, requestText } from "./http-connection.ts";
import { openLoop } from "./open-loop.ts";
import { account, accountPath, projectCount } from "./population.ts";

export interface ChangesResult {
  /** By the number of the change, on the machine's clock; fewer than planned when the server was overloaded. */
  readonly sentAt: Float64Array;
  readonly answeredAt: Float64Array;
  /** How much later than intended the latest one was sent. */
  readonly latestMs: number;
}

/** How a watcher recognises a change: its number is in the description. */
export const changeMark = '"description":"change ';

/** Changes existing accounts at a fixed rate, in every project in turn or all in the first one. */
export const changes: Load<
  { port: number; token: string; size: number },
  { perSecond: number; seconds: number; projects: "all" | "first"; firstNumber: number },
  ChangesResult
> = async ({ port, token, size }) => {
  const loop = await openLoop(port, 64);
  return async ({ perSecond, seconds, projects, firstNumber }) => {
    const count = perSecond * seconds;
    const sentAt = new Float64Array(count);
    const answeredAt = new Float64Array(count);
    let latestMs = 0;
    const sent = await loop.run({
      perSecond,
      count,
      async send(turn, connection, intendedAt) {
        const index = projects === "all" ? turn % size : (turn * projectCount) % size;
        const number = firstNumber + turn;
        const body = account(index, `change ${number}`);
        const request = requestText({ method: "PUT", path: accountPath(index), token, body });
        latestMs = Math.max(latestMs, performance.now() - intendedAt);
        sentAt[turn] = clock();
        const answer = await connection.send(request);
        answeredAt[turn] = clock();
        if (answer.status !== 200) throw new Error(refusalText(answer));
      },
    });
    return { sentAt: sentAt.subarray(0, sent), answeredAt: answeredAt.subarray(0, sent), latestMs };
  };
};
