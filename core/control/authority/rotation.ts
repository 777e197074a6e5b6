import {
  type AuthorityRow,
  agentsWithout,
  type Database,
  deleteAuthority,
  listAuthorities,
  liveCertificates,
} from "@reeve/store";
import { startBackground } from "../background.ts";
import type { Tools } from "../controller.ts";
import type { Enrolment } from "../doors/agents/enrolment.ts";
import { record } from "../operations/record.ts";
import type { Leases } from "../reconcile/leases.ts";
import { systemAuthor } from "../system.ts";
import { isIssuedBy } from "./authority.ts";

/** A machine that was off for so long still renews; after that it joins again. */
export const renewableDays = 30;

/** Who needs an authority that is no longer the current one. */
export type Needing = {
  readonly agents: number;
  readonly joinTokens: number;
  readonly replicas: number;
};

export const nobody: Needing = { agents: 0, joinTokens: 0, replicas: 0 };

type Asked = { readonly database: Database; readonly enrolment: Pick<Enrolment, "tokensSince"> };

/** Who would not know the current authority if the one before were forgotten. */
export async function needing({ database, enrolment }: Asked, current: AuthorityRow): Promise<Needing> {
  const [agents, joinTokens, shown] = await Promise.all([
    agentsWithout(database, current.id, renewableDays),
    enrolment.tokensSince(current.madeAt),
    liveCertificates(database),
  ]);
  return { agents, joinTokens, replicas: shown.filter((one) => !isIssuedBy(one, current.id)).length };
}

const everyMs = 5000;

/** Forgets the authority before when nobody needs it any more, on the replica that holds the first bucket. */
export function startForgettingAuthorities(
  tools: Pick<Tools, "database" | "lane" | "log">,
  enrolment: Asked["enrolment"],
  leases: Leases,
): () => Promise<void> {
  const { database, log } = tools;
  return startBackground(log, "looking for an authority to forget", async () => {
    if (!leases.mine.includes(0)) return everyMs;
    const [current, before] = await listAuthorities(database);
    if (current === undefined || before === undefined) return everyMs;
    const { agents, joinTokens, replicas } = await needing({ database, enrolment }, current);
    if (agents + joinTokens + replicas > 0) return everyMs;
    const deed = { kind: "Authority", scope: "", name: before.id, operation: "delete" };
    await record(tools, systemAuthor("nobody needs it any more"), deed, async (sql) => {
      await deleteAuthority(sql, before.id);
    });
    log.info({ authority: before.id }, "the agents' authority before the present one is forgotten");
    return everyMs;
  });
}
