import { accessArea } from "@reeve/access/control";
import { accessKinds } from "@reeve/access/kinds";
import { type BackupSettings, backupArea } from "@reeve/backup/control";
import { backupKinds } from "@reeve/backup/kinds";
import { type ControlArea, describeModel } from "@reeve/control";
import { hostsArea } from "@reeve/hosts/control";
import { hostsKinds } from "@reeve/hosts/kinds";
import { type NotificationSettings, notificationsArea } from "@reeve/notifications/control";
import { notificationsKinds } from "@reeve/notifications/kinds";
import { resolveForRun, secretsArea } from "@reeve/secrets/control";
import { secretsKinds } from "@reeve/secrets/kinds";
import { servicesArea } from "@reeve/services/control";
import { servicesKinds } from "@reeve/services/kinds";
import { coreMigrations, type Migration, readMigrations } from "@reeve/store";
import { workflowsArea } from "@reeve/workflows/control";
import { workflowsKinds } from "@reeve/workflows/kinds";

/** The areas of this server. Adding one is a line in each list. */
export const { registry, roles } = describeModel([
  ...accessKinds,
  ...secretsKinds,
  ...backupKinds,
  ...hostsKinds,
  ...notificationsKinds,
  ...workflowsKinds,
  ...servicesKinds,
]);

/** What areas are told by the server's configuration. */
interface AreaSettings {
  readonly backup?: BackupSettings | undefined;
  readonly notifyNetworks?: NotificationSettings["networks"];
  readonly data?: string;
}

export function openAreas(settings: AreaSettings = {}): readonly ControlArea[] {
  return [
    accessArea(roles, registry.kinds),
    secretsArea,
    backupArea(settings.backup),
    hostsArea,
    notificationsArea({ networks: settings.notifyNetworks ?? [], openSecrets: resolveForRun }),
    workflowsArea({ openSecrets: resolveForRun, makes: backupKinds }),
    servicesArea({ data: settings.data ?? "", openSecrets: resolveForRun }),
  ];
}

export function allMigrations(): Promise<Migration[]> {
  return readMigrations([coreMigrations, ...openAreas().flatMap((area) => area.migrations ?? [])]);
}
