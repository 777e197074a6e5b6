import { Button } from "@mantine/core";
import { client, Notice, useAction } from "@reeve/kit";
import type { RepositoryTree } from "@reeve/sdk";
import { IconGitBranch } from "@tabler/icons-react";
import { type RepositoryResource, shortRevision } from "../repository-resource.ts";
import { type Drafts, rebased } from "./drafts.ts";

interface Props {
  readonly repository: RepositoryResource;
  readonly tree: RepositoryTree;
  readonly drafts: Drafts;
  readonly onDrafts: (next: Drafts) => void;
}

/** Somebody has pushed since these changes were begun: nothing of them is lost, and nothing is overwritten unseen. */
export function MovedOn({ repository: { metadata }, tree, drafts, onDrafts }: Props) {
  const { run, busy } = useAction();
  const { revision } = tree;
  const theirs = tree.commits.find((one) => one.revision === revision);
  const there = new Set(tree.files.map(({ path }) => path));
  async function bring(): Promise<Drafts> {
    const texts = await Promise.all(
      Object.keys(drafts.files)
        .filter((path) => there.has(path))
        .map(async (path) => {
          const { text } = await client.repositoryFiles.file(metadata.scope, metadata.name, path);
          return [path, text] as const;
        }),
    );
    return rebased(drafts, revision, Object.fromEntries(texts));
  }
  return (
    <Notice
      tone="waiting"
      icon={<IconGitBranch size={18} />}
      title="Somebody has pushed meanwhile"
      text={`Your changes were made from ${shortRevision(drafts.base)}, and the branch is at ${shortRevision(revision)}${
        theirs === undefined ? "" : `: “${theirs.subject}” by ${theirs.by}`
      }. Bring them there, look at the difference, and commit.`}
    >
      <Button
        variant="default"
        loading={busy}
        onClick={() => void run(bring, { onDone: onDrafts, done: "Your changes are upon what is there now" })}
      >
        Bring my changes there
      </Button>
    </Notice>
  );
}
