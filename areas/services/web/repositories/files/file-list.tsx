import { NavLink, ScrollArea, Stack, Text, TextInput } from "@mantine/core";
import { hasWords, PageLink, usePath, withQuery } from "@reeve/kit";
import { IconFile, IconFilePencil, IconFilePlus, IconFileX, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import type { Drafts } from "./drafts.ts";

interface Props {
  readonly paths: readonly string[];
  readonly drafts: Drafts;
  readonly open: string | undefined;
  /** Where somebody comes from who looks for the files of a service. */
  readonly folder: string;
}

const mostShown = 500;

/** The files of a repository, those that were changed here among them. */
export function FileList({ paths, drafts, open, folder }: Props) {
  const [words, setWords] = useState(folder && `${folder}/`);
  const page = usePath();
  const all = [...new Set([...paths, ...Object.keys(drafts.files)])].sort();
  const found = all.filter((path) => hasWords([path], words));
  return (
    <Stack gap="xs" component="nav" aria-label="Files">
      <TextInput
        aria-label="Find a file"
        placeholder="Find a file"
        leftSection={<IconSearch size={14} />}
        value={words}
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <ScrollArea.Autosize mah="60vh" type="auto">
        {found.slice(0, mostShown).map((path) => (
          <NavLink
            key={path}
            component={PageLink}
            to={withQuery(page, { file: path })}
            active={path === open}
            leftSection={<Mark path={path} drafts={drafts} />}
            label={<span className="mono">{path}</span>}
            py={4}
          />
        ))}
      </ScrollArea.Autosize>
      {found.length > mostShown && (
        <Text size="xs" c="dimmed">
          {found.length - mostShown} more: write a part of the name.
        </Text>
      )}
    </Stack>
  );
}

function Mark({ path, drafts }: { readonly path: string; readonly drafts: Drafts }) {
  const draft = drafts.files[path];
  if (draft === undefined) return <IconFile size={14} />;
  if (draft.after === null) return <IconFileX size={14} aria-label="to be removed" />;
  return draft.before === undefined ? (
    <IconFilePlus size={14} aria-label="new" />
  ) : (
    <IconFilePencil size={14} aria-label="changed" />
  );
}
