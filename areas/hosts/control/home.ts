import { randomBytes } from "node:crypto";
import { systemAuthor, type Tools } from "@reeve/control";
import { type JsonObject, writeJoinToken } from "@reeve/model";
import { newResource } from "@reeve/store";
import { homeLabel } from "../kinds/index.ts";
import { writeJoinSecret } from "../store/index.ts";
import { digest } from "./join-token.ts";

const minutes = 10;

export interface HomeToken {
  readonly text: string;
  /** It goes when its agent has tried, well or not: nobody else needs it, and each try has its own. */
  withdraw(): Promise<void>;
}

/** A join token for the agent that the server starts beside itself: once, soon, and for this name only. */
export async function homeToken(tools: Tools, host: string): Promise<HomeToken> {
  const secret = randomBytes(32).toString("base64url");
  const name = `${host.slice(0, 40)}-${randomBytes(4).toString("hex")}`;
  const spec = {
    description: "for the agent that the server starts",
    uses: 1,
    hosts: host,
    replace: true,
    labels: { [homeLabel]: "true" },
  };
  const issuedAt = new Date();
  const expiresAt = new Date(issuedAt.getTime() + minutes * 60_000).toISOString();
  const status: JsonObject = { issuedAt: issuedAt.toISOString(), expiresAt, used: 0, hosts: [] };
  const at = { kind: "JoinToken", scope: "", name };
  const token = { ...newResource(at, spec), status };
  const { uid } = token.metadata;
  await tools.lane.submit({
    author: systemAuthor("the server starts an agent of its own"),
    needs: [at],
    decide: () => ({
      writes: [{ operation: "create", resource: token }],
      audit: [{ ...at, uid, operation: "issue", outcome: "done" }],
      also: (sql) => writeJoinSecret(sql, uid, digest(secret)),
    }),
  });
  return {
    text: writeJoinToken({ id: uid, secret, pin: tools.authority.pin }),
    async withdraw() {
      await tools.lane.submit({
        author: systemAuthor("the server's own agent has tried it"),
        needs: [at],
        decide(view) {
          const now = view.get(at);
          if (now?.metadata.uid !== uid) return { writes: [], audit: [] };
          return {
            writes: [{ operation: "delete", resource: now }],
            audit: [{ ...at, uid, operation: "delete", outcome: "done" }],
          };
        },
      });
    },
  };
}
