import { Stack, TextInput } from "@mantine/core";
import { FaultView, PageHeader, useKinds, useList, useQuery, useScope } from "@reeve/kit";
import { type ResourceOf, scopeParts } from "@reeve/model";
import { IconSearch } from "@tabler/icons-react";
import type { Role } from "../../kinds/index.ts";
import { builtinColumns, type MatrixRole, matrixRows } from "./matrix.ts";
import { NewRole } from "./new-role.tsx";
import { PermissionMatrix } from "./permission-matrix.tsx";

type RoleResource = ResourceOf<typeof Role>;

/** Every role that can be bound where one stands, beside each other. */
export default function RolesPage() {
  const kinds = useKinds();
  const scope = useScope();
  const organization = scopeParts(scope)[0] ?? "";
  const { rows: own, fault } = useList<RoleResource>({ name: "Role" }, organization);
  const [{ find = "", open = "" }, setQuery] = useQuery();
  const opened = new Set(open.split(",").filter(Boolean));
  const rows = matrixRows(kinds).filter(
    ({ about, permissions }) => about.includes(find) || permissions.some((one) => one.includes(find)),
  );
  const toggle = (about: string) =>
    setQuery({ open: [...opened.symmetricDifference(new Set([about]))].sort().join(",") || undefined });
  return (
    <>
      <PageHeader
        title="Roles"
        lead="A role is a list of permissions. A role binding gives it to somebody, in a scope and everything below."
        actions={<NewRole scope={organization} />}
      />
      <Stack>
        {fault && <FaultView fault={fault} />}
        <TextInput
          value={find}
          onChange={(event) => setQuery({ find: event.currentTarget.value.toLowerCase() || undefined })}
          placeholder="Find a permission, such as secrets:reveal"
          aria-label="Find a permission"
          leftSection={<IconSearch size={14} />}
          maw={360}
        />
        <PermissionMatrix
          roles={[...builtinColumns(kinds), ...own.map(columnOf)]}
          rows={rows}
          open={find.includes(":") ? new Set(rows.map(({ about }) => about)) : opened}
          onToggle={toggle}
        />
      </Stack>
    </>
  );
}

function columnOf({ metadata: { name, scope }, spec, status }: RoleResource): MatrixRole {
  return { name, scope, summary: spec.description ?? "", allows: new Set(status.allows ?? spec.allows) };
}
