import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { CodeView, client, FaultView, ReasonedButton, useLoaded, YamlEditor } from "@reeve/kit";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { RepositoryResource } from "../repository-resource.ts";
import type { Draft } from "./drafts.ts";

interface Props {
  readonly repository: RepositoryResource;
  readonly path: string;
  readonly draft: Draft | undefined;
  /** Why files cannot be changed here; undefined when they can. */
  readonly why: string | undefined;
  readonly onDraft: (draft: Draft) => void;
}

const hiddenWords = {
  encrypted:
    "It is encrypted. It is opened only on its way to the agents of a service; to change it, use age or sops where you have the identity, and push it.",
  binary: "It is not text.",
  large: "It is too large to be shown.",
};

/** What a file holds, and the way to change it. */
export function FileView({ repository, path, draft, why, onDraft }: Props) {
  const { uid, scope, name } = repository.metadata;
  const isNew = draft !== undefined && draft.before === undefined;
  const { value, fault } = useLoaded(`${uid} ${repository.status.revision} ${path}`, async (signal) =>
    isNew ? undefined : client.repositoryFiles.file(scope, name, path, signal),
  );
  const [editing, setEditing] = useState(draft !== undefined);
  if (fault !== undefined && draft === undefined) return <FaultView fault={fault} />;
  if (draft === undefined && value?.path !== path) return <Skeleton height={320} />;
  if (value?.path === path && value.hidden !== undefined)
    return (
      <Stack gap="xs">
        <Head path={path} />
        <Text c="dimmed">{hiddenWords[value.hidden]}</Text>
      </Stack>
    );
  const before = draft === undefined ? (value?.text ?? "") : draft.before;
  const text = draft === undefined ? (before ?? "") : (draft.after ?? "");
  const change = (after: string | null) => onDraft({ before, after });
  if (draft?.after === null)
    return (
      <Stack gap="xs" align="flex-start">
        <Head path={path} />
        <Text>It is to be removed.</Text>
        <Button variant="default" onClick={() => change(before ?? "")}>
          Keep it
        </Button>
      </Stack>
    );
  return (
    <Stack gap="xs">
      <Head path={path}>
        {!editing && (
          <ReasonedButton
            label="Edit file"
            icon={<IconPencil size={14} />}
            why={why}
            onClick={() => setEditing(true)}
          />
        )}
        {draft !== undefined && (
          <Button variant="default" onClick={() => change(before ?? null)}>
            Undo changes
          </Button>
        )}
        <ReasonedButton
          label="Remove file"
          icon={<IconTrash size={14} />}
          why={why}
          onClick={() => change(null)}
        />
      </Head>
      {editing ? (
        <YamlEditor text={text} onChange={change} label={path} />
      ) : (
        <CodeView text={text} label={path} maxHeight="60vh" />
      )}
    </Stack>
  );
}

function Head({ path, children }: { readonly path: string; readonly children?: React.ReactNode }) {
  return (
    <Group justify="space-between" gap="xs">
      <Title order={2} className="mono" size="h4">
        {path}
      </Title>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
