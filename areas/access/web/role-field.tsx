import { Select } from "@mantine/core";
import { useList } from "@reeve/kit";
import { builtinRoleNames, type ResourceOf, type Scope, scopeParts } from "@reeve/model";
import type { Role } from "../kinds/index.ts";

interface Props {
  readonly scope: Scope;
  readonly value: string;
  readonly onChange: (role: string) => void;
}

/** Chooses a role that can be bound at a scope: a built-in one, or one of its organization. */
export function RoleField({ scope, value, onChange }: Props) {
  const { rows } = useList<ResourceOf<typeof Role>>({ name: "Role" }, scopeParts(scope)[0] ?? "");
  const own = [...new Set(rows.map(({ metadata }) => metadata.name))];
  return (
    <Select
      label="Role"
      description="What it allows is shown on the page of roles."
      data={[
        { group: "Built in", items: [...builtinRoleNames] },
        ...(own.length > 0 ? [{ group: "Your own", items: own }] : []),
      ]}
      value={value}
      onChange={(role) => role !== null && onChange(role)}
      allowDeselect={false}
      searchable
    />
  );
}
