import { ownerOf } from "@reeve/control";
import {
  allows,
  type Caller,
  invalidField,
  type Owner,
  type Scope,
  scopeParts,
  showScope,
} from "@reeve/model";
import type { Address, Stored, View } from "@reeve/store";
import type { HolderRef } from "../kinds/index.ts";

/** Where a subject lives that a resource in this scope speaks of. */
export function subjectAddress(subject: HolderRef, scope: Scope): Address {
  const homes = { User: "", ServiceAccount: scope, Group: scopeParts(scope)[0] ?? "" };
  const home = subject.kind === "User" ? "" : (subject.scope ?? homes[subject.kind]);
  return { kind: subject.kind, scope: home, name: subject.name };
}

export interface Naming {
  readonly caller: Caller;
  /** Subjects, by uid, that the resource spoke of before: they may stay. */
  readonly known: readonly (string | undefined)[];
  readonly pointer: string;
}

/** The subject, if the caller may know of it: people can be named by everybody, others by those who may read them. */
export function subjectIn(view: Pick<View, "get">, at: Address, { caller, known, pointer }: Naming): Stored {
  const subject = view.get(at);
  const plural = at.kind === "Group" ? "groups" : "serviceaccounts";
  const nameable =
    at.kind === "User" ||
    // A group of the installation is made to be used everywhere in it.
    (at.kind === "Group" && at.scope === "") ||
    known.includes(subject?.metadata.uid) ||
    allows(caller.grants, `${plural}:read`, at.scope);
  if (subject !== undefined && nameable) return subject;
  throw invalidField(
    pointer,
    `there is no ${at.kind} ${at.name} in ${showScope(at.scope)}`,
    "create it first, or give the scope it lives in",
  );
}

/** The subject as owner. One that stays may be going: what it owns must still let go of its finalizers. */
export function ownedBy(subject: Stored, before: Stored | undefined): Owner {
  const owner = before?.metadata.owner;
  return owner?.uid === subject.metadata.uid ? owner : ownerOf(subject);
}
