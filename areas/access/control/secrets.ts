import { hash, randomBytes } from "node:crypto";

/** A prefix per use, so that secret scanners and people can tell what they found. */
export type SecretUse = "session" | "token" | "workload" | "setup" | "pending" | "invitation" | "recovery";

const prefixes: Record<SecretUse, string> = {
  session: "reeve_s_",
  token: "reeve_t_",
  workload: "reeve_w_",
  setup: "reeve_setup_",
  pending: "reeve_p_",
  invitation: "reeve_invitation_",
  recovery: "reeve_recovery_",
};

export interface NewSecret {
  readonly text: string;
  readonly hash: Buffer;
}

export function newSecret(use: SecretUse): NewSecret {
  const text = prefixes[use] + randomBytes(32).toString("base64url");
  return { text, hash: digest(text) };
}

/** 256 random bits need no slow hash; the digest is only so that a copy of the table opens no door. */
export function digest(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

export function useOf(secret: string): SecretUse | undefined {
  return (Object.keys(prefixes) as SecretUse[]).find((use) => secret.startsWith(prefixes[use]));
}
