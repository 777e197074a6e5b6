import { Stack, Text, TextInput } from "@mantine/core";
import { asFault, client, DiffView, FormDialog } from "@reeve/kit";
import { Repository } from "../../../kinds/index.ts";
import { type RepositoryResource, shortRevision } from "../repository-resource.ts";
import type { Drafts } from "./drafts.ts";

interface Props {
  readonly repository: RepositoryResource;
  readonly drafts: Drafts;
  /** Kept outside, so that who closes the dialog finds it again. */
  readonly message: string;
  readonly onMessage: (next: string) => void;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** What will be committed, line by line, and with which words. When somebody else was first, it says so, and all stays as it is. */
export function CommitDialog({
  repository: { metadata, spec },
  drafts,
  message,
  onMessage,
  onClose,
  onDone,
}: Props) {
  const files = Object.entries(drafts.files);
  const repositories = client.kind(Repository);
  return (
    <FormDialog
      title={`Commit to ${spec.git.ref ?? "the branch"}`}
      size="xl"
      action="Commit and push"
      held={message.trim() === ""}
      onClose={onClose}
      run={(options) =>
        repositories
          .act<{ revision: string }>(
            metadata.scope,
            metadata.name,
            "write",
            {
              base: drafts.base,
              message,
              files: Object.fromEntries(files.map(([path, { after }]) => [path, after])),
            },
            options,
          )
          .catch(async (error: unknown) => {
            // What somebody else has pushed is shown, to go on from there.
            if (asFault(error).kind === "conflict")
              await repositories.act(metadata.scope, metadata.name, "fetch");
            throw error;
          })
      }
      done={({ revision }) => `Pushed as ${shortRevision(revision)}`}
      onDone={onDone}
    >
      <Stack gap="sm">
        <Text size="sm">
          One commit in your name upon <span className="mono">{shortRevision(drafts.base)}</span>, pushed at
          once. Services that deploy by themselves follow it.
        </Text>
        <TextInput
          label="Message"
          placeholder="What changes, and why"
          maxLength={5000}
          required
          value={message}
          onChange={({ currentTarget }) => onMessage(currentTarget.value)}
        />
        {files.map(([path, { before = "", after }]) => (
          <section key={path}>
            <Text size="sm" className="mono">
              {path}
              {after === null && ", removed"}
            </Text>
            <DiffView label={`Difference of ${path}`} before={before} after={after ?? ""} />
          </section>
        ))}
      </Stack>
    </FormDialog>
  );
}
