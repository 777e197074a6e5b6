import type { Scope } from "@reeve/model";
import { itemPath } from "./address.ts";
import type { Wire } from "./wire.ts";

/** What a repository holds at the revision that was fetched last. */
export interface RepositoryTree {
  readonly revision: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** There are more than are listed. */
  readonly more: boolean;
  /** The latest, newest first. */
  readonly commits: readonly {
    readonly revision: string;
    readonly at: string;
    readonly by: string;
    readonly subject: string;
  }[];
}

export interface RepositoryFile {
  readonly revision: string;
  readonly path: string;
  readonly text?: string;
  /** Why it is not shown. */
  readonly hidden?: "encrypted" | "binary" | "large";
}

export interface RepositoryFilesClient {
  tree(scope: Scope, name: string, signal?: AbortSignal): Promise<RepositoryTree>;
  file(scope: Scope, name: string, path: string, signal?: AbortSignal): Promise<RepositoryFile>;
}

export function openRepositoryFiles(wire: Wire): RepositoryFilesClient {
  const below = (scope: Scope, name: string) =>
    itemPath({ name: "Repository", plural: "repositories" }, scope, name);
  return {
    tree: async (scope, name, signal) =>
      (await wire.send({ path: `${below(scope, name)}/tree`, signal })).body as RepositoryTree,
    async file(scope, name, path, signal) {
      const query = new URLSearchParams({ path });
      return (await wire.send({ path: `${below(scope, name)}/file?${query}`, signal }))
        .body as RepositoryFile;
    },
  };
}
