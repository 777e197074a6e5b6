import type { Scope } from "@reeve/model";
import type { AuditLink, AuditProof, AuditRecord, SignedHead } from "@reeve/model/audit";
import { isSuccess, parseJson, readText, refusal, type Wire } from "./wire.ts";

/** Which records; each part narrows. */
export interface AuditQuery {
  readonly scope?: Scope;
  readonly since?: string;
  readonly until?: string;
  readonly subject?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly operation?: string;
  readonly outcome?: "done" | "denied";
}

export type { AuditProof, AuditRecord };

export interface AuditPage {
  readonly items: readonly AuditRecord[];
  /** The revision before which the next page begins; absent on the last one. */
  readonly next?: number;
}

/** A record with its place in the chain; null while it is not sealed yet. */
export type ExportedRecord = AuditRecord & { [Key in keyof AuditLink]: AuditLink[Key] | null };

export interface Audit {
  /** Records, newest first, fetched as they are asked for. */
  list(query?: AuditQuery, pageSize?: number): AsyncGenerator<AuditRecord, void>;
  /** Some of them, before a revision when one is given. */
  page(query: AuditQuery, at: { readonly limit: number; readonly before?: number }): Promise<AuditPage>;
  /** Lines, oldest first, in pieces as they arrive. */
  export(query: AuditQuery, format: "jsonl" | "cef"): AsyncGenerator<Uint8Array, void>;
  heads(): Promise<SignedHead[]>;
  verify(organization?: string): Promise<AuditProof[]>;
}

/** Proving reads everything that is kept. */
const verifyMs = 30 * 60_000;

export function openAudit(wire: Wire): Audit {
  return {
    async *list(query = {}, pageSize = 500) {
      let from: string | undefined;
      do {
        const page = { ...query, limit: pageSize, continue: from };
        const { body } = await wire.send({ path: "/api/v1/audit", query: page });
        const { items, continue: next } = body as { items: AuditRecord[]; continue?: string };
        yield* items;
        from = next;
      } while (from !== undefined);
    },
    async page(query, { limit, before }) {
      const call = { path: "/api/v1/audit", query: { ...query, limit, continue: before } };
      const { items, continue: next } = (await wire.send(call)).body as {
        items: AuditRecord[];
        continue?: string;
      };
      return { items, ...(next !== undefined && { next: Number(next) }) };
    },
    async *export(query, format) {
      const arrival = await wire.open({ path: "/api/v1/audit/export", query: { ...query, format } });
      if (!isSuccess(arrival)) throw refusal(arrival, parseJson(await readText(arrival)));
      yield* arrival.chunks;
    },
    heads: async () =>
      ((await wire.send({ path: "/api/v1/audit/heads" })).body as { items: SignedHead[] }).items,
    async verify(organization) {
      const body = organization === undefined ? {} : { organization };
      const call = { method: "POST", path: "/api/v1/audit/verify", body, timeoutMs: verifyMs } as const;
      return ((await wire.send(call)).body as { items: AuditProof[] }).items;
    },
  };
}
