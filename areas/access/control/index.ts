/** The control plane's side of access: who a caller is, what bindings and tokens mean, signing in, the first set-up. */
import type { ControlArea } from "@reeve/control";
import type { Role } from "@reeve/model";
import { accessMigrations, accessRetention } from "../store/index.ts";
import { openIdentity } from "./identity.ts";
import { roleBindingController } from "./role-binding.ts";
import { accessRoutes } from "./routes.ts";
import { tokenController } from "./token.ts";
import { userController } from "./user.ts";

export { newSecret } from "./secrets.ts";

export function accessArea(roles: Readonly<Record<string, Role>>): ControlArea {
  return {
    name: "access",
    controllers: [userController, tokenController, roleBindingController(() => roles)],
    migrations: accessMigrations,
    retention: accessRetention,
    routes: accessRoutes,
    identity: openIdentity,
  };
}
