/** The control plane's side of services: it decides when, by runs; the keepers on the hosts do. */
import { type ControlArea, type OpenSecrets, pushRoutes } from "@reeve/control";
import { canFollow } from "@reeve/secrets/kinds";
import { readByUid } from "@reeve/store";
import { Repository, repositoryPushes } from "../kinds/index.ts";
import { bundleContents, folderContents, servicesMigrations, servicesRetention } from "../store/index.ts";
import { adoptRoutes } from "./adopt.ts";
import { filesFor } from "./deliver.ts";
import { differenceRoutes } from "./difference.ts";
import { sealedOpener } from "./encrypted/open-sealed.ts";
import { serviceLogRoutes } from "./live/log-routes.ts";
import { browseRoutes } from "./repository/browse.ts";
import { openMirrors } from "./repository/mirrors.ts";
import { repositoryController } from "./repository/repository.ts";
import { serviceController } from "./service.ts";
import { storageRoutes } from "./storage.ts";
import { templateRoutes } from "./templates/routes.ts";

interface ServicesSettings {
  /** The server's data folder: copies of repositories lie in it. */
  readonly data: string;
  /** Gives what opens repositories. */
  readonly openSecrets: OpenSecrets;
}

export function servicesArea({ data, openSecrets }: ServicesSettings): ControlArea {
  const mirrors = openMirrors(data);
  const openSealed = sealedOpener(openSecrets);
  return {
    name: "services",
    controllers: [serviceController(openSealed), repositoryController(mirrors, openSecrets)],
    migrations: servicesMigrations,
    retention: servicesRetention,
    atRest: [bundleContents, folderContents],
    routes: (context) => [
      ...serviceLogRoutes(context),
      ...differenceRoutes(context),
      ...adoptRoutes(context),
      ...storageRoutes(context),
      ...browseRoutes(context, mirrors, openSecrets),
      ...pushRoutes(context, { kind: Repository, path: repositoryPushes, can: canFollow, openSecrets }),
      ...templateRoutes(),
    ],
    start({ database }) {
      const cleared = mirrors.keepOnly(async (uid) => (await readByUid(database, uid)) !== undefined);
      return () => cleared;
    },
    files: (tools) => filesFor(tools, openSealed),
  };
}
