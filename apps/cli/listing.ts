import type { Resource, Scope } from "@reeve/model";
import type { Collection, Selection } from "@reeve/sdk";
import type { GlobalFlags } from "@reeve/sdk/cli";

/** Fewer round trips than the default page, small enough to answer at once. */
const pageSize = 500;

/** Every resource that the flags select. */
export async function listAll(
  collection: Collection<Resource>,
  scope: Scope,
  selection: Selection = {},
): Promise<Resource[]> {
  const all: Resource[] = [];
  for await (const one of collection.list(scope, { ...selection, limit: pageSize })) all.push(one);
  return all;
}

export function selectionOf(flags: GlobalFlags, name?: string): Selection {
  const fields = [flags.fields, name === undefined ? undefined : `metadata.name=${name}`]
    .filter(Boolean)
    .join(",");
  return {
    ...(flags.labels === undefined ? {} : { labels: flags.labels }),
    ...(fields === "" ? {} : { fields }),
    ...(flags.deep ? { deep: true } : {}),
  };
}
