import type { Resource } from "@reeve/model";

/** In a word, as badges say it. */
export function stateOf({ metadata }: Pick<Resource, "metadata">): "deleting" | "paused" | "active" {
  if (metadata.deletingAt !== undefined) return "deleting";
  return metadata.paused ? "paused" : "active";
}
