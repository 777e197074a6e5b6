import { setTimeout as sleep } from "node:timers/promises";
import { startBackground } from "@reeve/control";
import { type DueNotification, listDueChannels, type NamedChannel, takeNotifications } from "@reeve/store";
import { nearestChannels } from "../store/index.ts";
import { deliver, type Means } from "./deliver.ts";
import { openTurns } from "./turns.ts";

/** As long as one try may take at most; after that, another replica may take it for lost. */
const heldMs = 60_000;
const sweepMs = 1000;
const atOnce = 16;
/** A channel that does not answer keeps so many waiting for it, and leaves the rest of the room to others. */
const ofOneChannel = 4;

/**
 * Delivers what is due for as long as the replica works. When one has ended, the next takes its place: nobody waits for others that
 * take longer.
 */
export function startDelivery(means: () => Means): () => Promise<void> {
  const { tools } = means();
  const turns = openTurns(atOnce, ofOneChannel);
  const running = new Set<Promise<void>>();

  function begin(channel: string, due: DueNotification, uid: string | undefined): void {
    const end = turns.begin(channel);
    const one = deliver(means(), due, uid)
      .catch((error: unknown) =>
        tools.log.warn(
          { err: error, notification: due.id },
          "how it went was not recorded; it is sent again",
        ),
      )
      .finally(() => {
        end();
        running.delete(one);
      });
    running.add(one);
  }

  /** Says how many it began. */
  async function beginDue(): Promise<number> {
    if (running.size >= atOnce) return 0;
    const waiting = await dueByChannel();
    let begun = 0;
    for (const { channel, most } of turns.next([...waiting.keys()])) {
      const { name, uid } = waiting.get(channel) as Waiting;
      for (const due of await takeNotifications(tools.database, name, most, heldMs)) {
        begin(channel, due, uid);
        begun++;
      }
    }
    return begun;
  }

  /** Many scopes may name one channel; of their names, the one counts that has waited longest. */
  async function dueByChannel(): Promise<Map<string, Waiting>> {
    const names = await listDueChannels(tools.database);
    const uids = await nearestChannels(tools.database, names);
    const waiting = new Map<string, Waiting>();
    for (const [at, name] of names.entries()) {
      const channel = uids[at] ?? `${name.channel} of ${name.scope}`;
      if (!waiting.has(channel)) waiting.set(channel, { name, uid: uids[at] });
    }
    return waiting;
  }

  const stop = startBackground(tools.log, "notifications", async () => {
    if ((await beginDue()) > 0) return 0;
    if (running.size === 0) return sweepMs;
    await Promise.race([...running, sleep(sweepMs, undefined, { ref: false })]);
    return 0;
  });
  return async () => {
    await stop();
    await Promise.all(running);
  };
}

interface Waiting {
  readonly name: NamedChannel;
  /** Undefined where there is no such channel. */
  readonly uid: string | undefined;
}
