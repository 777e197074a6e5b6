import { MultiSelect } from "@mantine/core";
import { useKinds } from "@reeve/kit";
import { installationPermissions } from "@reeve/model";
import { matrixRows } from "./roles/matrix.ts";

interface Props {
  readonly label: string;
  readonly description: string;
  readonly placeholder?: string;
  readonly value: string[];
  readonly onChange: (allows: string[]) => void;
}

/** Chooses permissions, one by one or by a pattern. */
export function AllowsField(props: Props) {
  const permissions = matrixRows(useKinds()).map(({ about, permissions }) => ({
    group: about,
    items: hasPattern(about) ? [`${about}:*`, ...permissions] : [...permissions],
  }));
  return (
    <MultiSelect
      {...props}
      data={[{ group: "everything", items: ["*:read", "*:*"] }, ...permissions]}
      searchable
      hidePickedOptions
      limit={100}
    />
  );
}

/** Rights that belong to no kind and no run are always named one by one. */
function hasPattern(about: string): boolean {
  return !installationPermissions.some((permission) => permission.startsWith(`${about}:`));
}
