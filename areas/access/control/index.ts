/** The control plane's side of access: who a caller is, what bindings and tokens mean, signing in, the first set-up. */
import type { ControlArea } from "@reeve/control";
import type { Kind, Role } from "@reeve/model";
import { accessMigrations, accessRetention, providerSecretColumn } from "../store/index.ts";
import { identityProviderController } from "./federation/identity-provider.ts";
import { groupController } from "./group.ts";
import { openIdentity } from "./identity.ts";
import { invitationController } from "./invitation.ts";
import { organizationController } from "./organization.ts";
import { quotaController } from "./quota.ts";
import { roleController } from "./role.ts";
import { roleBindingController } from "./role-binding.ts";
import { accessRoutes } from "./routes.ts";
import { tokenController } from "./token.ts";
import { userController } from "./user.ts";
import { trustedIssuerController } from "./workloads/trusted-issuer.ts";

export { beginRecovery } from "./recovery.ts";
export { newSecret } from "./secrets.ts";

/** Roles and kinds are those of the whole server: what can be allowed derives from every area's kinds. */
export function accessArea(roles: Readonly<Record<string, Role>>, kinds: readonly Kind[]): ControlArea {
  return {
    name: "access",
    controllers: [
      organizationController,
      userController,
      tokenController(kinds),
      groupController(roles),
      roleController(kinds),
      roleBindingController(roles),
      invitationController(roles),
      quotaController(kinds),
      identityProviderController,
      trustedIssuerController(roles),
    ],
    migrations: accessMigrations,
    retention: accessRetention,
    sealed: [{ table: "totp", key: "id", column: "seed" }, providerSecretColumn],
    routes: accessRoutes,
    identity: openIdentity,
  };
}
