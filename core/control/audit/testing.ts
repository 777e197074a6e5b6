import { testKeys } from "@reeve/keys/testing";
import { kindRegistry, type Registry } from "@reeve/model";
import type { AuditProof } from "@reeve/model/audit";
import { auditedOrganizations, type Database, type Lane, openLane } from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { sealNext } from "./seal.ts";
import { openSigner, type Signer } from "./signer.ts";
import { verifyAudit } from "./verify.ts";

/** An audit on a database of this test's own, with somebody who writes to it and somebody who seals. */
export interface TestAudit {
  readonly database: Database;
  readonly lane: Lane;
  readonly registry: Registry;
  readonly signer: Signer;
  /** So many records in each scope, in turn. */
  write(count: number, scopes?: readonly string[]): Promise<void>;
  seal(): Promise<void>;
  verify(): Promise<AuditProof[]>;
  /** What is found, as "acme 7 changed". */
  findings(): Promise<string[]>;
}

export async function testAudit(): Promise<TestAudit> {
  const { database } = await testDatabase();
  const signer = await openSigner(database, await testKeys(database));
  const registry = kindRegistry([]);
  const lane = openLane({ database, registry, reconciled: new Set() });
  const verify = async () => {
    const organizations = await auditedOrganizations(database);
    return Promise.all(organizations.map((one) => verifyAudit(database, signer, one)));
  };
  return {
    database,
    lane,
    registry,
    signer,
    async write(count, scopes = ["acme"]) {
      for (let turn = 0; turn < count; turn++)
        await Promise.all(scopes.map((scope) => record(lane, scope, turn)));
    },
    async seal() {
      while (await sealNext(database, signer));
    },
    verify,
    findings: async () =>
      (await verify())
        .flatMap((proof) => proof.findings)
        .map(({ organization, revision, what }) => `${organization} ${revision} ${what}`),
  };
}

export function record(lane: Lane, scope: string, turn: number): Promise<unknown> {
  const at = { kind: "Thing", scope, name: `thing-${turn}` };
  const detail = {
    changes: [{ pointer: "/spec/size", before: turn, after: turn + 1 }],
    "10": "ten",
    "9": "nine",
  };
  return lane.submit({
    author: {
      caller: undefined,
      origin: { requestId: `request-${turn}`, address: "10.0.0.1" },
      reason: "ünïcode ✓",
    },
    needs: [],
    decide: () => ({ writes: [], audit: [{ ...at, operation: "apply", outcome: "done", detail }] }),
  });
}
