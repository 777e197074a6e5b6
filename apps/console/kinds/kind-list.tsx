import { Group, Text } from "@mantine/core";
import { CodeView, DataTable, EmptyState, PageHeader, PageLink, paths, useList, useQuery } from "@reeve/kit";
import { levelOf, type Resource, type Scope, showScope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { useMemo } from "react";
import { CreateButton } from "./create-button.tsx";
import { ListFilters } from "./list-filters.tsx";
import { resourceColumns } from "./resource-columns.tsx";
import { named } from "./words.ts";

interface Props {
  readonly kind: KindInfo;
  readonly scope: Scope;
}

/** The resources of a kind in a scope and below it, live. */
export function KindList({ kind, scope }: Props) {
  const [{ labels, fields, q = "", wide }] = useQuery();
  const list = useList(kind, scope, { ...(labels && { labels }), ...(fields && { fields }) });
  const narrowed = Boolean(labels || fields || q);
  const rows = useMemo(() => list.rows.filter((one) => fits(one, q)), [list.rows, q]);
  const columns = useMemo(
    () => resourceColumns(kind, { scoped: levelOf(scope) !== "workspace", wide: wide !== undefined }),
    [kind, scope, wide],
  );
  return (
    <>
      <PageHeader
        title={named(kind)}
        lead={kind.summary}
        actions={(list.rows.length > 0 || narrowed) && <CreateButton kind={kind} scope={scope} />}
      />
      <Group justify="space-between" mb="sm" gap="xs" align="flex-end">
        <ListFilters kind={kind} />
        <Text size="xs" c="dimmed" role="status">
          {list.state === "loading" ? "" : counted(rows.length, list.rows.length)}
        </Text>
      </Group>
      <DataTable
        label={named(kind)}
        list={{ ...list, rows }}
        columns={columns}
        rowKey={(one) => one.metadata.uid}
        to={({ metadata }) => paths.resource(kind, metadata.scope, metadata.name)}
        empty={<NoneYet kind={kind} scope={scope} narrowed={narrowed} />}
      />
    </>
  );
}

function counted(shown: number, all: number): string {
  return shown === all
    ? `${all.toLocaleString()} in all`
    : `${shown.toLocaleString()} of ${all.toLocaleString()}`;
}

function fits({ metadata }: Resource, words: string): boolean {
  return `${metadata.scope}/${metadata.name}`.includes(words.trim().toLowerCase());
}

function NoneYet({ kind, scope, narrowed }: Props & { readonly narrowed: boolean }) {
  if (narrowed)
    return (
      <EmptyState title="Nothing fits">
        No {kind.name} in {showScope(scope)} fits what you are looking for.{" "}
        <PageLink to={paths.list(kind, scope)}>Show all</PageLink>
      </EmptyState>
    );
  return (
    <EmptyState
      title={`No ${named(kind).toLowerCase()} in ${showScope(scope)} yet`}
      action={<CreateButton kind={kind} scope={scope} />}
    >
      <Text size="sm" mb="sm">
        Write one such as this and <code>reeve apply -f</code> it, or create it here.
      </Text>
      <CodeView text={kind.example} label={`Example of a ${kind.name}`} />
    </EmptyState>
  );
}
