/** The control plane's side of services: it decides when, by runs; the keepers on the hosts do. */
import type { ControlArea } from "@reeve/control";
import { Fault } from "@reeve/model";
import { readByUid } from "@reeve/store";
import { bundleName } from "../kinds/index.ts";
import { readBundleFor, servicesMigrations, servicesRetention } from "../store/index.ts";
import { differenceRoutes } from "./difference.ts";
import { serviceLogRoutes } from "./live/log-routes.ts";
import type { OpenSecrets } from "./repository/access.ts";
import { openMirrors } from "./repository/mirrors.ts";
import { pushRoutes } from "./repository/push.ts";
import { repositoryController } from "./repository/repository.ts";
import { serviceController } from "./service.ts";

interface ServicesSettings {
  /** The server's data folder: copies of repositories lie in it. */
  readonly data: string;
  /** Gives what opens repositories. */
  readonly openSecrets: OpenSecrets;
}

export function servicesArea({ data, openSecrets }: ServicesSettings): ControlArea {
  const mirrors = openMirrors(data);
  return {
    name: "services",
    controllers: [serviceController, repositoryController(mirrors, openSecrets)],
    migrations: servicesMigrations,
    retention: servicesRetention,
    routes: (context) => [
      ...serviceLogRoutes(context),
      ...differenceRoutes(context),
      ...pushRoutes(context, openSecrets),
    ],
    start({ database }) {
      const cleared = mirrors.keepOnly(async (uid) => (await readByUid(database, uid)) !== undefined);
      return () => cleared;
    },
    files:
      ({ database }) =>
      (agent, name) => {
        const prefix = bundleName("");
        if (!name.startsWith(prefix)) return undefined;
        return readBundleFor(database, agent, name.slice(prefix.length)).then((content) => {
          if (content === undefined)
            throw new Fault("not_found", "there is no such file for this agent", {
              next: "deploy the service again",
            });
          return Buffer.from(content);
        });
      },
  };
}
