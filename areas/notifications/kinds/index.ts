/** The kind of places where people are told what has happened. */
import type { Kind } from "@reeve/model";
import { Channel } from "./channel.ts";

export { Channel, type ChannelSpec, type TellsRule, troubleKinds } from "./channel.ts";

export const notificationsKinds: readonly Kind[] = [Channel];
