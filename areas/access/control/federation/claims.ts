import { systemAuthor, type Tools } from "@reeve/control";
import { sameJson } from "@reeve/model";
import { replaceClaims } from "../../store/index.ts";
import type { Proof } from "./proof.ts";

/**
 * What the provider says of groups takes the place of what it said before. It is written into the user's status as well: that
 * is a change which every replica hears of, so sessions that are open have the new rights at once.
 */
export async function noteClaims(
  tools: Tools,
  user: { readonly uid: string; readonly name: string },
  { provider, groups }: Pick<Proof, "provider" | "groups">,
): Promise<void> {
  const at = { kind: "User", scope: "", name: user.name };
  await tools.lane.submit({
    author: systemAuthor(`said by the identity provider ${provider}`),
    needs: [at],
    quiet: true,
    decide(view) {
      const now = view.get(at);
      const before = (now?.status.groups ?? {}) as Record<string, string[]>;
      if (now?.metadata.uid !== user.uid || sameJson(before[provider] ?? [], groups))
        return { writes: [], audit: [] };
      const status = { ...now.status, groups: { ...before, [provider]: groups } };
      return {
        writes: [{ operation: "update", resource: { ...now, status } }],
        audit: [
          {
            ...at,
            uid: now.metadata.uid,
            operation: "groups",
            outcome: "done",
            detail: { provider, groups },
          },
        ],
        also: (sql) => replaceClaims(sql, user.uid, provider, groups),
      };
    },
  });
  // The change is told in order, after those of other replicas that came before it; rights that are gone do not wait for that.
  tools.forget([user.uid]);
}
