import { type Attention, paths, useList } from "@reeve/kit";
import type { ResourceOf, Scope } from "@reeve/model";
import type { Token } from "../../kinds/index.ts";

const tokens = { name: "Token", plural: "tokens" };
const soonMs = 7 * 86_400_000;

/** Tokens that stop working within a week: whatever uses them should get another one before. */
export function useExpiringTokens(scope: Scope): readonly Attention[] {
  const { rows } = useList<ResourceOf<typeof Token>>(tokens, scope);
  return rows.flatMap(({ metadata, spec }): Attention[] => {
    const { expiresAt } = spec;
    if (expiresAt === undefined || Date.parse(expiresAt) - Date.now() > soonMs) return [];
    return [
      {
        key: metadata.uid,
        level: "soon",
        title: `The token ${metadata.name} expires`,
        detail: `of ${spec.subject.name}`,
        at: expiresAt,
        to: paths.resource(tokens, metadata.scope, metadata.name),
      },
    ];
  });
}
