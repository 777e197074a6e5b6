import { older, orphans, type RetentionRule } from "@reeve/store";
import { idleDays } from "./sessions.ts";

/** Rows of users and tokens that are gone work no more from the same moment; here they are swept away. */
export const accessRetention: readonly RetentionRule[] = [
  { name: "ended sessions", prune: older("session", "id", 0, "expires_at") },
  { name: "forgotten sessions", prune: older("session", "id", idleDays, "seen_at") },
  { name: "sessions of deleted users", prune: orphans("session", "user_uid") },
  { name: "passwords of deleted users", prune: orphans("password", "user_uid") },
  { name: "claims of deleted users", prune: orphans("claim", "user_uid") },
  { name: "members of deleted groups", prune: orphans("group_member", "group_uid") },
  { name: "deleted members of groups", prune: orphans("group_member", "subject_uid") },
  { name: "claims of deleted groups", prune: orphans("group_claim", "group_uid") },
  { name: "identities of deleted users", prune: orphans("federated_identity", "user_uid") },
  { name: "identities of deleted providers", prune: orphans("federated_identity", "provider_uid") },
  { name: "secrets of deleted providers", prune: orphans("provider_secret", "provider_uid") },
  { name: "ended workload tokens", prune: older("workload_token", "id", 0, "expires_at") },
  { name: "ids of exchanged tokens", prune: older("exchanged_jti", "issuer_uid, jti", 0, "expires_at") },
  { name: "codes of deleted users", prune: orphans("totp", "user_uid") },
  { name: "passkeys of deleted users", prune: orphans("passkey", "user_uid") },
  { name: "recovery codes of deleted users", prune: orphans("recovery_code", "user_uid") },
  { name: "tickets that were not used", prune: older("ticket", "hash", 0, "expires_at") },
  { name: "attempts to sign in", prune: older("attempt", "key", 1, "since") },
  { name: "secrets of deleted tokens", prune: orphans("credential", "token_uid") },
];
