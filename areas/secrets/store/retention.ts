import { orphans, type RetentionRule } from "@reeve/store";

/** Nobody reaches the values of a secret that is gone, nor counts the uses of a resource that is; here they are swept away. */
export const secretsRetention: readonly RetentionRule[] = [
  { name: "values of deleted secrets", prune: orphans("secret_version", "secret_uid") },
  { name: "uses by deleted resources", prune: orphans("secret_use", "user_uid") },
];
