import { client, type Loaded, useLoaded } from "@reeve/kit";
import type { RepositoryTree } from "@reeve/sdk";
import type { RepositoryResource } from "./repository-resource.ts";

/** Its files and latest commits, read again whenever another revision was fetched. */
export function useTree({ metadata, status }: RepositoryResource): Loaded<RepositoryTree> {
  const { uid, scope, name } = metadata;
  return useLoaded(`${uid} ${status.revision}`, (signal) => client.repositoryFiles.tree(scope, name, signal));
}
