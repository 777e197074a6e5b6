/** Notifications: what others wrote down to be told is delivered, at least once, with patience. */
import type { ControlArea } from "@reeve/control";
import { notificationRetention } from "@reeve/store";
import { noticeRetention, notificationsMigrations } from "../store/index.ts";
import { channelController } from "./channel.ts";
import type { OpenSecrets } from "./deliver.ts";
import { startDelivery } from "./due.ts";
import { allowedNetworks } from "./outgoing.ts";
import { tellTroubles } from "./troubles.ts";

export interface NotificationSettings {
  /** Private networks that channels may reach, as `10.1.0.0/16`. */
  readonly networks: readonly string[];
  readonly openSecrets: OpenSecrets;
}

export function notificationsArea({ networks, openSecrets }: NotificationSettings): ControlArea {
  const allowed = allowedNetworks(networks);
  return {
    name: "notifications",
    controllers: [channelController],
    migrations: notificationsMigrations,
    retention: [notificationRetention, noticeRetention],
    afterLook: tellTroubles,
    start: (tools) =>
      startDelivery(() => ({ tools, openSecrets, way: { allowed, publicUrl: tools.publicUrl() } })),
  };
}
