import { Button, Grid, Group, Skeleton, Stack, Text } from "@mantine/core";
import { Age, FaultView, useQuery, useWhyNot } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import { IconGitCommit } from "@tabler/icons-react";
import { useState } from "react";
import { type RepositoryResource, shortRevision } from "../repository-resource.ts";
import { useTree } from "../use-tree.ts";
import { CommitDialog } from "./commit-dialog.tsx";
import { noDrafts, withDraft } from "./drafts.ts";
import { FileList } from "./file-list.tsx";
import { FileView } from "./file-view.tsx";
import { MovedOn } from "./moved-on.tsx";
import { NewFile } from "./new-file.tsx";
import { useDrafts } from "./use-drafts.ts";

/** The files at the revision that was fetched last; what is changed here becomes one commit. */
export function FilesTab({ repository }: { readonly repository: RepositoryResource }) {
  const { value: tree, fault } = useTree(repository);
  const [drafts, setDrafts] = useDrafts(repository.metadata.uid);
  const [committing, setCommitting] = useState(false);
  const [message, setMessage] = useState("");
  const [{ file, folder = "" }, patch] = useQuery();
  const why = useWhyNot("write", repository as unknown as Resource);
  if (fault !== undefined) return <FaultView fault={fault} />;
  if (tree === undefined) return <Skeleton height={320} />;
  const changes = Object.keys(drafts.files).length;
  const open = file ?? tree.files.find(({ path }) => path.startsWith(folder && `${folder}/`))?.path;
  return (
    <Stack gap="md">
      {changes > 0 && drafts.base !== tree.revision && (
        <MovedOn repository={repository} tree={tree} drafts={drafts} onDrafts={setDrafts} />
      )}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {tree.files.length} files of <span className="mono">{shortRevision(tree.revision)}</span>
          {repository.status.fetchedAt && (
            <>
              , fetched <Age at={repository.status.fetchedAt} />
            </>
          )}
          {tree.more && "; there are more than can be listed"}
        </Text>
        <Group gap="xs">
          <NewFile
            why={why}
            taken={tree.files.map(({ path }) => path)}
            below={repository.spec.git.path}
            onMade={(path) => {
              setDrafts(withDraft(drafts, path, { before: undefined, after: "" }, tree.revision));
              patch({ file: path }, { push: true });
            }}
          />
          {changes > 0 && (
            <>
              <Button variant="default" onClick={() => setDrafts(noDrafts)}>
                Discard all changes
              </Button>
              <Button leftSection={<IconGitCommit size={14} />} onClick={() => setCommitting(true)}>
                Review {changes} {changes === 1 ? "change" : "changes"}
              </Button>
            </>
          )}
        </Group>
      </Group>
      <Grid>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <FileList paths={tree.files.map(({ path }) => path)} drafts={drafts} open={open} folder={folder} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          {open !== undefined && (
            <FileView
              key={open}
              repository={repository}
              path={open}
              draft={drafts.files[open]}
              why={why}
              onDraft={(draft) => setDrafts(withDraft(drafts, open, draft, tree.revision))}
            />
          )}
        </Grid.Col>
      </Grid>
      {committing && (
        <CommitDialog
          repository={repository}
          drafts={drafts}
          message={message}
          onMessage={setMessage}
          onClose={() => setCommitting(false)}
          onDone={() => {
            setCommitting(false);
            setMessage("");
            setDrafts(noDrafts);
          }}
        />
      )}
    </Stack>
  );
}
