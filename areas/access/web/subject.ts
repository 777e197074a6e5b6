import { type Scope, showSubject } from "@reeve/model";

export const subjectKinds = {
  User: { name: "User", plural: "users" },
  ServiceAccount: { name: "ServiceAccount", plural: "serviceaccounts" },
  Group: { name: "Group", plural: "groups" },
} as const;

export type SubjectKind = keyof typeof subjectKinds;

/** Who holds something. A user lives in no scope. */
export interface SubjectAt {
  readonly kind: SubjectKind;
  readonly scope: Scope;
  readonly name: string;
}

/** "user:grace", "serviceaccount:acme/ci": the word that the audit and the command line use, too. */
export const subjectWord: (subject: SubjectAt) => string = showSubject;

export function readSubject(word: string): SubjectAt | undefined {
  const [prefix = "", path = ""] = word.split(":");
  const kind = (Object.keys(subjectKinds) as SubjectKind[]).find((one) => one.toLowerCase() === prefix);
  if (kind === undefined || path === "") return undefined;
  const at = path.lastIndexOf("/");
  return { kind, scope: at < 0 ? "" : path.slice(0, at), name: path.slice(at + 1) };
}

/** As a spec refers to it. */
export function refOf({ kind, scope, name }: SubjectAt): { kind: SubjectKind; name: string } {
  return { kind, name, ...(kind !== "User" && { scope }) };
}
