import type { Controller } from "@reeve/control";
import { type Caller, contains, Fault, invalidField, sameJson, showScope } from "@reeve/model";
import type { Stored } from "@reeve/store";
import type { HolderRef } from "../kinds/index.ts";
import { type BuiltinRoles, roleAddresses, withRole } from "./named-role.ts";
import { ownedBy, subjectAddress, subjectIn } from "./subject.ts";

export function roleBindingController(builtin: BuiltinRoles): Controller {
  return {
    kind: "RoleBinding",
    refers: ({ scope, spec }) => [
      subjectAddress(spec.subject as HolderRef, scope),
      ...roleAddresses(spec.role as string, scope),
    ],
    letGo: keepOwnership,
    admit(admission) {
      const { before, after, caller, view } = admission;
      if (before !== undefined && !sameJson(before.spec, after.spec)) keepOwnership(before, caller);
      const { scope } = after.metadata;
      const at = subjectAddress(after.spec.subject as HolderRef, scope);
      const bound = withRole(builtin, admission);
      const known = [before?.metadata.owner?.uid];
      const subject = subjectIn(view, at, { caller, known, pointer: "/spec/subject" });
      // Who decides about the members of a group must not gain rights above or beside its scope.
      if (at.kind === "Group" && !contains(at.scope, scope))
        throw invalidField(
          "/spec/subject/scope",
          `a group holds roles in its own scope and below, and ${showScope(scope)} is not in ${showScope(at.scope)}`,
        );
      // The binding belongs to its subject: a user that is deleted and made anew must not find its old rights.
      return { ...bound, metadata: { ...bound.metadata, owner: ownedBy(subject, before) } };
    },
  };
}

/** Who gives up their own ownership of the installation may be the last who had it, and nobody could give it back. */
function keepOwnership({ metadata: { scope, name } }: Stored, caller: Caller): void {
  if (scope !== "") return;
  if (ownsInstallation(caller).some(({ binding }) => binding === name)) throw ownOwnership();
}

/** How a caller comes to own the installation. */
export function ownsInstallation({ grants }: Caller): Caller["grants"] {
  return grants.filter(({ scope, role }) => scope === "" && role.name === "owner");
}

export function ownOwnership(): Fault {
  return new Fault("precondition", "you cannot take the ownership of the installation from yourself", {
    next: "let another owner do it",
  });
}
