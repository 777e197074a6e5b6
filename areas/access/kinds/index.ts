/** The kinds of access: the scope tree, who may sign in, and what they may do. */
import type { Kind } from "@reeve/model";
import { Group } from "./group.ts";
import { IdentityProvider } from "./identity-provider.ts";
import { Invitation } from "./invitation.ts";
import { Organization } from "./organization.ts";
import { Project } from "./project.ts";
import { Quota } from "./quota.ts";
import { Role } from "./role.ts";
import { RoleBinding } from "./role-binding.ts";
import { ServiceAccount } from "./service-account.ts";
import { Token } from "./token.ts";
import { TrustedIssuer } from "./trusted-issuer.ts";
import { User } from "./user.ts";
import { Workspace } from "./workspace.ts";

export type { IdentityProviderSpec } from "./identity-provider.ts";
export { isLoopbackHost } from "./issuer.ts";
export { type HolderRef, type SubjectRef, subjectRef } from "./subject.ts";
export type { TrustedIssuerSpec } from "./trusted-issuer.ts";
export { password } from "./user.ts";
export {
  Group,
  IdentityProvider,
  Invitation,
  Organization,
  Project,
  Quota,
  Role,
  RoleBinding,
  ServiceAccount,
  Token,
  TrustedIssuer,
  User,
  Workspace,
};

export const accessKinds: readonly Kind[] = [
  Organization,
  Project,
  Workspace,
  Quota,
  User,
  ServiceAccount,
  Group,
  Role,
  RoleBinding,
  Invitation,
  Token,
  IdentityProvider,
  TrustedIssuer,
];
