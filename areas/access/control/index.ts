/** The control plane's side of access: who a caller is, what bindings and tokens mean, signing in, the first set-up. */
import type { ControlArea, Identity } from "@reeve/control";
import type { Role } from "@reeve/model";
import { accessMigrations, accessRetention } from "../store/index.ts";
import { openIdentity } from "./identity.ts";
import { roleBindingController } from "./role-binding.ts";
import { accessRoutes } from "./routes.ts";
import { tokenController } from "./token.ts";
import { userController } from "./user.ts";

export { newSecret } from "./secrets.ts";

export function accessArea(roles: Readonly<Record<string, Role>>): ControlArea {
  let identity: Identity | undefined;
  // Sessions are no resources: no change tells that one was ended, so whoever ends one says so.
  const forget = () => identity?.forget("everybody");
  return {
    name: "access",
    controllers: [userController(forget), tokenController, roleBindingController(() => roles)],
    migrations: accessMigrations,
    retention: accessRetention,
    routes: (tools) => accessRoutes(tools, forget),
    identity(tools) {
      identity = openIdentity(tools);
      return identity;
    },
  };
}
