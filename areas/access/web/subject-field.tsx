import { Select } from "@mantine/core";
import { useList } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { type SubjectAt, type SubjectKind, subjectKinds, subjectWord } from "./subject.ts";

interface Props {
  readonly label: string;
  readonly description?: string;
  readonly kinds: readonly SubjectKind[];
  /** Where service accounts and groups are looked for. */
  readonly scope: Scope;
  readonly value: string | null;
  readonly onChange: (word: string | null) => void;
}

/** Chooses who, of all that one may see. */
export function SubjectField({ label, description, kinds, scope, value, onChange }: Props) {
  const users = useList(subjectKinds.User, "");
  const accounts = useList(subjectKinds.ServiceAccount, scope);
  const groups = useList(subjectKinds.Group, scope.split("/")[0] ?? "");
  const known: readonly SubjectAt[] = [
    ...users.rows.map(({ metadata }) => ({ kind: "User" as const, ...metadata })),
    ...groups.rows.map(({ metadata }) => ({ kind: "Group" as const, ...metadata })),
    ...accounts.rows.map(({ metadata }) => ({ kind: "ServiceAccount" as const, ...metadata })),
  ];
  const words = known.filter(({ kind }) => kinds.includes(kind)).map(subjectWord);
  // Who was named in the address may be somebody whom one may not list.
  const data = value === null || words.includes(value) ? words : [value, ...words];
  return (
    <Select
      label={label}
      description={description}
      data={data}
      value={value}
      onChange={onChange}
      searchable
      required
      withAsterisk={false}
      nothingFoundMessage="Nobody of this name that you may see"
      placeholder="user:grace"
      limit={200}
    />
  );
}
