import { Group, Stack, Text } from "@mantine/core";
import {
  FaultView,
  PageLink,
  paths,
  Section,
  scopedPath,
  useKinds,
  useResource,
  withQuery,
} from "@reeve/kit";
import type { ResourceOf, Scope } from "@reeve/model";
import type { Role } from "../../kinds/index.ts";
import { matrixRows } from "./matrix.ts";

interface Props {
  readonly scope: Scope;
  readonly name: string;
}

/** What a role of one's own allows, one by one, and who holds it. */
export default function RolePage({ scope, name }: Props) {
  const kinds = useKinds();
  const { resource, fault } = useResource<ResourceOf<typeof Role>>(
    { name: "Role", plural: "roles" },
    scope,
    name,
  );
  if (fault) return <FaultView fault={fault} />;
  if (resource === undefined) return null;
  const allowed = new Set<string>(resource.status.allows ?? resource.spec.allows);
  const rows = matrixRows(kinds).flatMap(({ about, permissions }) => {
    const held = permissions.filter((permission) => allowed.has(permission));
    return held.length === 0 ? [] : [{ about, verbs: held.map((one) => one.split(":")[1]) }];
  });
  return (
    <Section
      title="Permissions"
      lead={
        <>
          As they were when the role was written: what <code>*</code> stands for does not grow by itself.{" "}
          <PageLink to={withQuery(scopedPath("{scope}/rolebindings", scope), { role: name })}>
            Who holds it
          </PageLink>
          , <PageLink to={paths.list({ name: "Role", plural: "roles" }, scope)}>beside other roles</PageLink>.
        </>
      }
    >
      <Stack gap={6}>
        {rows.map(({ about, verbs }) => (
          <Group key={about} gap="sm" align="baseline">
            <Text size="sm" ff="monospace" w={180}>
              {about}
            </Text>
            <Text size="sm" ff="monospace" c="dimmed" flex={1} miw={160}>
              {verbs.join(", ")}
            </Text>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
