/** The control plane's side of services: it decides when, by runs; the keepers on the hosts do. */
import type { ControlArea } from "@reeve/control";
import { Fault } from "@reeve/model";
import { bundleName } from "../kinds/index.ts";
import { readBundleFor, servicesMigrations, servicesRetention } from "../store/index.ts";
import { serviceLogRoutes } from "./live/log-routes.ts";
import { serviceController } from "./service.ts";

export const servicesArea: ControlArea = {
  name: "services",
  controllers: [serviceController],
  migrations: servicesMigrations,
  retention: servicesRetention,
  routes: serviceLogRoutes,
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
