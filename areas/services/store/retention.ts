import { older, orphans, type RetentionRule } from "@reeve/store";
import { pruneBundles } from "./bundles.ts";

/** Agents keep what they have fetched: after this time, only a new deploy asks for files, and brings them anew. */
const days = 2;

export const servicesRetention: readonly RetentionRule[] = [
  { name: "deliveries of files to agents", prune: older("service_delivery", "agent_uid, digest", days) },
  { name: "files of services", prune: (sql, limit) => pruneBundles(sql, limit, days) },
  { name: "sources of deleted services", prune: orphans("service_source", "service_uid") },
  { name: "folders of deleted repositories", prune: orphans("repository_folder", "repository_uid") },
];
