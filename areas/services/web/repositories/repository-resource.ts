import type { ResourceOf } from "@reeve/model";
import type { Repository } from "../../kinds/index.ts";

export type RepositoryResource = ResourceOf<typeof Repository>;

/** How its last fetch went; undefined before the first. */
export function fetchedOf({ status }: RepositoryResource) {
  return status.conditions?.find(({ type }) => type === "Fetched");
}

export function fromText({ spec: { git } }: RepositoryResource): string {
  const place = git.url ?? `Connection ${git.connection}`;
  return `${place}${git.ref === undefined ? "" : `, ${git.ref}`}${git.path === undefined ? "" : `, folder ${git.path}`}`;
}

export const shortRevision = (revision: string) => revision.slice(0, 10);
