import { Group, Stack, Text } from "@mantine/core";
import {
  type Column,
  DataTable,
  PageLink,
  paths,
  ReasonedButton,
  readPath,
  Section,
  scopedPath,
  useCan,
  useGo,
  useList,
  usePath,
  withQuery,
} from "@reeve/kit";
import type { ResourceOf, Scope } from "@reeve/model";
import type { Group as GroupKind } from "../../kinds/index.ts";
import { type BindingResource, holderOf, TakeBack } from "../bindings/bindings-page.tsx";
import { type SubjectKind, subjectKinds, subjectWord } from "../subject.ts";

interface Props {
  readonly scope: Scope;
  readonly name: string;
}

const bindings = { name: "RoleBinding", plural: "rolebindings" };

/** The roles that a user, a group or a service account holds by name, and the groups through which it holds more. */
export default function HoldingsPage({ scope, name }: Props) {
  const go = useGo();
  const kind = useSubjectKind();
  const word = subjectWord({ kind, scope, name });
  const list = useList<BindingResource>(bindings, "", {
    fields: { "spec.subject.kind": kind, "spec.subject.name": name },
  });
  const own = { ...list, rows: list.rows.filter((one) => subjectWord(holderOf(one)) === word) };
  const can = useCan({ verb: "create", kind: "RoleBinding", scope });
  return (
    <Stack>
      <Section
        title="Roles"
        lead="Each reaches everything below the scope it is bound in."
        actions={
          <Group gap="xs">
            <ReasonedButton
              label="Why may they…?"
              onClick={() => go(withQuery("/access/why", { subject: word, scope }))}
            />
            <ReasonedButton
              label="Give a role"
              why={can.reason}
              onClick={() =>
                go(withQuery(scopedPath("{scope}/rolebindings", scope), { give: "yes", subject: word }))
              }
            />
          </Group>
        }
      >
        <DataTable
          label="Roles held"
          list={own}
          columns={columns}
          rowKey={({ metadata }) => metadata.uid}
          to={({ metadata }) => paths.resource(bindings, metadata.scope, metadata.name)}
          empty={
            <Text size="sm" c="dimmed">
              None by name, of what you may see.
            </Text>
          }
        />
      </Section>
      {kind !== "Group" && <Memberships word={word} />}
    </Stack>
  );
}

function useSubjectKind(): SubjectKind {
  const [plural] = readPath(usePath()).rest;
  const found = Object.values(subjectKinds).find((one) => one.plural === plural);
  return found?.name ?? "User";
}

function Memberships({ word }: { readonly word: string }) {
  const { rows } = useList<ResourceOf<typeof GroupKind>>({ name: "Group" }, "");
  const member = rows.filter(({ metadata, spec }) =>
    spec.members.some(
      ({ kind, name, scope }) =>
        subjectWord({ kind, name, scope: kind === "User" ? "" : (scope ?? metadata.scope) }) === word,
    ),
  );
  return (
    <Section title="Groups" lead="What a group holds is held by every member.">
      {member.length === 0 ? (
        <Text size="sm" c="dimmed">
          In none by name. An identity provider may say that they are in one.
        </Text>
      ) : (
        <Group gap="sm">
          {member.map(({ metadata }) => (
            <PageLink
              key={metadata.uid}
              to={paths.resource(subjectKinds.Group, metadata.scope, metadata.name, { tab: "roles" })}
            >
              {metadata.scope ? `${metadata.scope}/${metadata.name}` : metadata.name}
            </PageLink>
          ))}
        </Group>
      )}
    </Section>
  );
}

const columns: readonly Column<BindingResource>[] = [
  {
    key: "name",
    title: "Binding",
    cell: ({ metadata }) => metadata.name,
    sort: ({ metadata }) => metadata.name,
  },
  { key: "role", title: "Role", cell: ({ spec }) => spec.role, sort: ({ spec }) => spec.role },
  {
    key: "scope",
    title: "In",
    cell: ({ metadata }) => metadata.scope || "installation",
    sort: ({ metadata }) => metadata.scope,
  },
  { key: "take", title: "", align: "right", cell: (binding) => <TakeBack binding={binding} /> },
];
