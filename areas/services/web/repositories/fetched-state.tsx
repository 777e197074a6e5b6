import { StateBadge } from "@reeve/kit";
import { fetchedOf, type RepositoryResource } from "./repository-resource.ts";

/** Whether what is known of a repository is what is there. */
export function FetchedState({ repository }: { readonly repository: RepositoryResource }) {
  const fetched = fetchedOf(repository);
  if (repository.metadata.paused) return <StateBadge state="paused" />;
  if (fetched === undefined) return <StateBadge state="unknown" word="not fetched yet" />;
  return (
    <StateBadge state={fetched.status} word={fetched.status === "true" ? "up to date" : "fetch failed"} />
  );
}
