import type { Admission, Controller } from "@reeve/control";
import {
  type Caller,
  childScope,
  Fault,
  firstMissing,
  type JsonObject,
  sameJson,
  showScope,
} from "@reeve/model";
import type { Stored } from "@reeve/store";
import { Group, type SubjectRef } from "../kinds/index.ts";
import { type Claim, writeGroup } from "../store/index.ts";
import type { BuiltinRoles } from "./named-role.ts";
import { ownOwnership, ownsInstallation } from "./role-binding.ts";
import { subjectAddress, subjectIn } from "./subject.ts";

export function groupController(builtin: BuiltinRoles): Controller {
  return {
    kind: Group.name,
    refers: ({ scope, spec }) => membersOf(spec).map((member) => subjectAddress(member, scope)),
    letGo: keepOwnership,
    admit(admission) {
      const { before, caller } = admission;
      const after = withMembers(admission);
      if (!sameJson(belonging(before), belonging(after))) mayFill(after, caller, builtin);
      const left =
        memberUids(before).includes(caller.subject.uid) && !memberUids(after).includes(caller.subject.uid);
      if (before !== undefined && left) keepOwnership(before, caller);
      return after;
    },
    also: (group) => (sql) =>
      writeGroup(sql, group.metadata.uid, memberUids(group), group.spec.claims as unknown as Claim[]),
  };
}

/** Names become uids here, once: whoever is deleted and made anew by the same name is another. */
function withMembers({ before, after, caller, view }: Admission): Stored {
  const known = memberUids(before);
  const members = membersOf(after.spec).flatMap((member, index) => {
    const at = subjectAddress(member, after.metadata.scope);
    // One that was deleted meanwhile does not keep the group from being changed.
    const gone = view.get(at) === undefined && membersOf(before?.spec).some((one) => sameJson(one, member));
    if (gone) return [];
    return subjectIn(view, at, { caller, known, pointer: `/spec/members/${index}` }).metadata.uid;
  });
  return { ...after, status: { ...after.status, members: [...new Set(members)] } };
}

/** Whoever decides who is in a group decides about every role that it holds or will hold: that takes an owner. */
function mayFill({ metadata: { scope } }: Stored, { grants }: Caller, builtin: BuiltinRoles): void {
  const missing = firstMissing(grants, builtin.owner?.allows ?? new Set(), scope);
  if (missing === undefined) return;
  throw new Fault(
    "forbidden",
    `only an owner of ${showScope(scope)} decides who is in a group, and you do not hold ${missing} there`,
    { next: "ask an owner" },
  );
}

function keepOwnership(group: Stored, caller: Caller): void {
  const name = childScope(group.metadata.scope, group.metadata.name);
  if (ownsInstallation(caller).some((grant) => grant.group === name)) throw ownOwnership();
}

function belonging(group: Stored | undefined): unknown {
  return { members: memberUids(group), claims: group?.spec.claims ?? [] };
}

function membersOf(spec: JsonObject | undefined): SubjectRef[] {
  return (spec?.members ?? []) as unknown as SubjectRef[];
}

function memberUids(group: Stored | undefined): string[] {
  return (group?.status.members ?? []) as string[];
}
