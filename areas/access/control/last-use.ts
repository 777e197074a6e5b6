import { systemAuthor, type Tools } from "@reeve/control";
import type { Identified, TokenUse } from "../store/index.ts";

/**
 * Notes in a token's status that it was used. Only once an hour, because each note is a change that is kept and told to watchers;
 * whether anybody still uses a token needs no finer answer.
 */
export async function noteLastUse(
  { lane }: Pick<Tools, "lane">,
  token: Identified & TokenUse,
): Promise<void> {
  const at = { kind: "Token", scope: token.tokenScope, name: token.tokenName };
  await lane.submit({
    author: systemAuthor("used"),
    needs: [at],
    quiet: true,
    decide(view) {
      const now = view.get(at);
      const noted = Date.parse(String(now?.status.lastUsedAt ?? ""));
      // Another replica may have been faster.
      const again = noted > Date.parse(view.now) - 3_600_000;
      if (now === undefined || now.metadata.uid !== token.id || again) return { writes: [], audit: [] };
      const status = { ...now.status, lastUsedAt: view.now };
      return { writes: [{ operation: "update", resource: { ...now, status } }], audit: [] };
    },
  });
}
