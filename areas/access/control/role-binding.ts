import { type Admission, type Controller, ownerOf } from "@reeve/control";
import {
  allows,
  type Caller,
  Fault,
  firstMissing,
  type JsonObject,
  type Owner,
  sameJson,
  showScope,
} from "@reeve/model";
import type { Address, Stored } from "@reeve/store";
import type { SubjectRef } from "../kinds/index.ts";

/** The roles, by name; filled when the server is put together, because they derive from all kinds. */
export function roleBindingController(
  roles: () => Readonly<Record<string, { allows: ReadonlySet<`${string}:${string}`> }>>,
): Controller {
  return {
    kind: "RoleBinding",
    refers: ({ scope, spec }) => [subjectAddress(spec, scope)],
    letGo: keepOwnership,
    admit({ before, after, caller, view }: Admission): Stored {
      if (before !== undefined && !sameJson(before.spec, after.spec)) keepOwnership(before, caller);
      const at = subjectAddress(after.spec, after.metadata.scope);
      const role = roles()[after.spec.role as string];
      const missing = role && firstMissing(caller.grants, role.allows, after.metadata.scope);
      if (role === undefined || missing !== undefined)
        throw new Fault(
          "forbidden",
          `you cannot give the role ${String(after.spec.role)} in ${showScope(after.metadata.scope)}: you do not hold ${missing ?? "it"} there yourself`,
          {
            next: "ask somebody who holds that role there",
          },
        );
      // The binding belongs to its subject: a user that is deleted and made anew must not find its old rights.
      return {
        ...after,
        metadata: { ...after.metadata, owner: ownedBy(subjectIn(view, at, { caller, before }), before) },
      };
    },
  };
}

/** The subject as owner. One that stays may be going: what it owns must still let go of its finalizers. */
export function ownedBy(subject: Stored, before: Stored | undefined): Owner {
  const owner = before?.metadata.owner;
  return owner?.uid === subject.metadata.uid ? owner : ownerOf(subject);
}

/** Who gives up their own ownership of the installation may be the last who had it, and nobody could give it back. */
function keepOwnership(binding: Stored, caller: Caller): void {
  const { scope, owner } = binding.metadata;
  if (scope !== "" || binding.spec.role !== "owner" || owner?.uid !== caller.subject.uid) return;
  throw new Fault("precondition", "you cannot take the ownership of the installation from yourself", {
    next: "let another owner do it",
  });
}

export function subjectAddress(spec: JsonObject, scope: string): Address {
  const subject = spec.subject as SubjectRef;
  return {
    kind: subject.kind,
    scope: subject.kind === "User" ? "" : (subject.scope ?? scope),
    name: subject.name,
  };
}

/** The subject, if the caller may know of it: people can be named by everybody, programs by those who may read them. */
export function subjectIn(
  view: { get(at: Address): Stored | undefined },
  at: Address,
  { caller, before }: Pick<Admission, "caller" | "before">,
): Stored {
  const subject = view.get(at);
  const known =
    at.kind === "User" ||
    before?.metadata.owner?.uid === subject?.metadata.uid ||
    allows(caller.grants, "serviceaccounts:read", at.scope);
  if (subject === undefined || !known)
    throw new Fault("invalid", `/spec/subject: there is no ${at.kind} ${at.name} in ${showScope(at.scope)}`, {
      errors: [
        { pointer: "/spec/subject", message: `there is no ${at.kind} ${at.name} in ${showScope(at.scope)}` },
      ],
      next: "create it first, or give the scope it lives in",
    });
  return subject;
}
