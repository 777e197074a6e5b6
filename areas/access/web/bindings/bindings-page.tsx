import {
  ActionButton,
  type Column,
  client,
  DataTable,
  EmptyState,
  PageHeader,
  PageLink,
  paths,
  ReasonedButton,
  useCan,
  useList,
  useQuery,
  useScope,
} from "@reeve/kit";
import type { ResourceOf } from "@reeve/model";
import { IconPlus } from "@tabler/icons-react";
import type { RoleBinding } from "../../kinds/index.ts";
import { type SubjectAt, subjectKinds, subjectWord } from "../subject.ts";
import { GiveRole } from "./give-role.tsx";

export type BindingResource = ResourceOf<typeof RoleBinding>;

const bindings = { name: "RoleBinding", plural: "rolebindings" };

/** Who holds which role at the scope and below it. */
export default function BindingsPage() {
  const scope = useScope();
  const [{ role, subject, give }, setQuery] = useQuery();
  const list = useList<BindingResource>(bindings, scope, {
    ...(role !== undefined && { fields: { "spec.role": role } }),
  });
  const can = useCan({ verb: "create", kind: "RoleBinding", scope });
  const button = (
    <ReasonedButton
      label="Give a role"
      icon={<IconPlus size={14} />}
      variant="filled"
      why={can.reason}
      onClick={() => setQuery({ give: "yes" })}
    />
  );
  return (
    <>
      <PageHeader
        title="Bindings"
        lead="A binding gives somebody a role in the scope it lives in and in everything below. Nothing is allowed without one."
        actions={button}
      />
      <DataTable
        label="Bindings"
        list={list}
        columns={columns}
        rowKey={({ metadata }) => metadata.uid}
        to={({ metadata }) => paths.resource(bindings, metadata.scope, metadata.name)}
        empty={
          <EmptyState title="Nobody holds a role here" action={button}>
            Roles bound above reach down to here, too; they are listed where they are bound.
          </EmptyState>
        }
      />
      {give !== undefined && can.allowed !== false && (
        <GiveRole
          scope={scope}
          subject={subject ?? null}
          onClose={() => setQuery({ give: undefined, subject: undefined })}
        />
      )}
    </>
  );
}

/** A group or a service account of the binding's own scope may be named without one. */
export function holderOf({ spec: { subject }, metadata }: BindingResource): SubjectAt {
  const own = subject.kind === "Group" ? (metadata.scope.split("/")[0] ?? "") : metadata.scope;
  return {
    kind: subject.kind,
    name: subject.name,
    scope: subject.kind === "User" ? "" : (subject.scope ?? own),
  };
}

const columns: readonly Column<BindingResource>[] = [
  {
    key: "name",
    title: "Name",
    cell: ({ metadata }) => metadata.name,
    sort: ({ metadata }) => metadata.name,
  },
  {
    key: "who",
    title: "Who",
    cell: (binding) => {
      const holder = holderOf(binding);
      return (
        <PageLink to={paths.resource(subjectKinds[holder.kind], holder.scope, holder.name)}>
          {subjectWord(holder)}
        </PageLink>
      );
    },
    sort: (binding) => subjectWord(holderOf(binding)),
  },
  { key: "role", title: "Role", cell: ({ spec }) => spec.role, sort: ({ spec }) => spec.role },
  {
    key: "scope",
    title: "In",
    cell: ({ metadata }) => metadata.scope || "installation",
    sort: ({ metadata }) => metadata.scope,
  },
  { key: "take", title: "", wide: true, align: "right", cell: (binding) => <TakeBack binding={binding} /> },
];

export function TakeBack({ binding }: { readonly binding: BindingResource }) {
  const { scope, name } = binding.metadata;
  const can = useCan({ verb: "delete", kind: "RoleBinding", scope, name });
  const who = subjectWord(holderOf(binding));
  return (
    <ActionButton
      label="Take back"
      why={can.reason}
      confirm={{
        title: `Take the role ${binding.spec.role} from ${who}?`,
        text: `They lose what it allows in ${scope || "the installation"} and below, at once.`,
        danger: true,
      }}
      run={(key) => client.kind(bindings).delete(scope, name, key)}
      done={`${who} no longer holds ${binding.spec.role} by ${name}.`}
    />
  );
}
