import { lastLines, type Tools } from "@reeve/control";
import { hideText, type JsonObject, type Scope } from "@reeve/model";
import {
  type Delivery,
  type DueNotification,
  endDelivery,
  lookNow,
  readByUid,
  type Stored,
} from "@reeve/store";
import { type OpenChannel, send, type Way } from "./send.ts";

/** With the waits between them a little over a day. */
const triesLimit = 15;

/** A spec with the values of its secrets, and the texts that nobody may read. */
export type OpenSecrets = (
  tools: Pick<Tools, "database" | "keys">,
  scope: Scope,
  spec: JsonObject,
) => Promise<{ value: JsonObject; hide: readonly string[] }>;

export interface Means {
  readonly tools: Pick<Tools, "database" | "keys" | "log">;
  readonly openSecrets: OpenSecrets;
  readonly way: Way;
}

/** Sends one to the channel that was found for it, and writes down how that went. */
export async function deliver(
  means: Means,
  due: DueNotification,
  channelUid: string | undefined,
): Promise<void> {
  const { tools } = means;
  const channel = channelUid === undefined ? undefined : await readByUid(tools.database, channelUid);
  const trouble = await sent(means, due, channel);
  const delivery = judged(due, channel, trouble);
  await endDelivery(tools.database, delivery);
  if (channel !== undefined) await lookNow(tools.database, channel.metadata.uid);
  if (delivery.state === "dead")
    tools.log.warn(
      { notification: due.id, channel: due.channel, scope: due.scope, trouble },
      "a notification was given up",
    );
}

/** What went wrong, in words that hold no secret, though a server may repeat one: of an address only the host is ever told. */
async function sent(
  { tools, openSecrets, way }: Means,
  due: DueNotification,
  channel: Stored | undefined,
): Promise<string> {
  if (channel === undefined)
    return `there is no Channel ${due.channel} in ${due.scope || "the installation"} or above`;
  let hide: readonly string[] = [];
  try {
    const opened = await openSecrets(tools, channel.metadata.scope, channel.spec);
    hide = opened.hide;
    await send(opened.value as unknown as OpenChannel, await withLastLines(tools, due), way);
    return "";
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return hideText(words, hide).slice(0, 500);
  }
}

/** Read when it is sent: output may come after the end of its step, and is masked where it was made. */
async function withLastLines({ database }: Means["tools"], due: DueNotification): Promise<DueNotification> {
  const { log, ...message } = due.message;
  if (log === undefined) return due;
  const lines = await lastLines(database, log);
  const text = [message.text, ...lines.map((line) => `  | ${line}`)].join("\n");
  return { ...due, message: { ...message, text } };
}

function judged({ id, tries }: DueNotification, channel: Stored | undefined, trouble: string): Delivery {
  const channelUid = channel?.metadata.uid ?? null;
  if (trouble === "") return { id, channelUid, state: "delivered", againMs: 0, trouble };
  if (tries >= triesLimit) return { id, channelUid, state: "dead", againMs: 0, trouble };
  return { id, channelUid, state: "waiting", againMs: backoffMs(tries), trouble };
}

/** 2 s, 4 s, 8 s … 4 h, with a spread so that many failures do not come back together. */
function backoffMs(tries: number): number {
  return Math.min(4 * 3_600_000, 1000 * 2 ** tries) * (0.75 + Math.random() / 2);
}
