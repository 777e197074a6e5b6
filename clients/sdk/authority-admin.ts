import { noRetry } from "./retry.ts";
import type { Wire } from "./wire.ts";

export interface AuthorityInfo {
  readonly id: string;
  /** The one that signs, or the one before it, which is trusted until nobody needs it. */
  readonly state: "current" | "trusted";
  readonly since: string;
  readonly needed: { readonly agents: number; readonly joinTokens: number; readonly replicas: number };
}

/** The certificate authorities that agents trust. */
export interface AuthorityAdmin {
  listAuthorities(): Promise<readonly AuthorityInfo[]>;
  rotateAuthority(): Promise<{ readonly id: string; readonly before: string }>;
}

export function openAuthorityAdmin(wire: Wire): AuthorityAdmin {
  return {
    listAuthorities: async () =>
      ((await wire.send({ path: "/api/v1/authorities" })).body as { items: AuthorityInfo[] }).items,
    async rotateAuthority() {
      // A blind second try would find the first unfinished.
      const call = { method: "POST", path: "/api/v1/authorities/rotate", body: {}, retry: noRetry } as const;
      return (await wire.send(call)).body as { id: string; before: string };
    },
  };
}
