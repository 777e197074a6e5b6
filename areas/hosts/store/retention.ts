import { orphans, type RetentionRule } from "@reeve/store";

/** From the moment a join token is gone its text works no more; here its row is swept away. Agents are the core's. */
export const hostsRetention: readonly RetentionRule[] = [
  { name: "secrets of deleted join tokens", prune: orphans("join_secret", "token_uid") },
];
