import type { Tools } from "@reeve/control";
import type { Caller, Grant } from "@reeve/model";
import { hasFactor, needingFactor } from "../store/index.ts";
import { provesSecond } from "./second-factor.ts";

/**
 * The grants that do not count: those in organizations that ask their members for a second factor, for a person who has not
 * used one in this session. A token proves nothing itself; it counts if its person has a second factor. Programs have none.
 */
export async function withheldGrants(
  { database }: Pick<Tools, "database">,
  { subject, via }: Pick<Caller, "subject" | "via">,
  grants: readonly Grant[],
): Promise<readonly Grant[]> {
  if (subject.kind !== "User") return [];
  const organizations = new Set(grants.map(({ scope }) => organizationOf(scope)).filter(Boolean));
  if (organizations.size === 0 || (via.kind === "session" && provesSecond(via.factors))) return [];
  const needing = await needingFactor(database, [...organizations]);
  if (needing.size === 0) return [];
  if (via.kind === "token" && (await hasFactor(database, subject.uid))) return [];
  return grants.filter(({ scope }) => needing.has(organizationOf(scope)));
}

function organizationOf(scope: string): string {
  return scope.split("/")[0] ?? "";
}
