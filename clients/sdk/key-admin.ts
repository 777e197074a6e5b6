import { noRetry } from "./retry.ts";
import type { Wire } from "./wire.ts";

export interface KeyInfo {
  readonly id: string;
  readonly level: "root" | "scope";
  /** Whose values a scope key closes; '' is the installation. */
  readonly organization: string | null;
  readonly state: "current" | "retired";
  readonly since: string;
  /** How many scope keys a root key closes, or how many values a scope key. */
  readonly holds: number;
}

/** The keys that close what is sealed. */
export interface KeyAdmin {
  listKeys(): Promise<readonly KeyInfo[]>;
  /** Replaces the root key, or the scope keys of one organization or of all; tells which are retired by it. */
  rotateKeys(level: "root" | "scope", organization?: string): Promise<readonly string[]>;
  deleteKey(id: string): Promise<void>;
}

export function openKeyAdmin(wire: Wire): KeyAdmin {
  return {
    listKeys: async () => ((await wire.send({ path: "/api/v1/keys" })).body as { items: KeyInfo[] }).items,
    async rotateKeys(level, organization) {
      const body = { level, ...(organization === undefined ? {} : { organization }) };
      // A blind second try would rotate twice.
      const call = { method: "POST", path: "/api/v1/keys/rotate", body, retry: noRetry } as const;
      return ((await wire.send(call)).body as { retired: string[] }).retired;
    },
    async deleteKey(id) {
      await wire.send({ method: "DELETE", path: `/api/v1/keys/${encodeURIComponent(id)}` });
    },
  };
}
