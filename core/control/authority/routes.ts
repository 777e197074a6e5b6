import { Fault } from "@reeve/model";
import { listAuthorities, replaceAuthority } from "@reeve/store";
import { z } from "zod";
import type { Tools } from "../controller.ts";
import type { Enrolment } from "../doors/agents/enrolment.ts";
import { record } from "../operations/record.ts";
import { type AreaRoute, defineRoute } from "../route.ts";
import { needing, nobody } from "./rotation.ts";

const demand = { permission: "installation:keys" } as const;

const authorityItem = z.object({
  id: z.string(),
  state: z.enum(["current", "trusted"]).describe("the one that signs, or the one before it"),
  since: z.string(),
  needed: z
    .object({ agents: z.number(), joinTokens: z.number(), replicas: z.number() })
    .describe("who does not know the current one yet; when nobody is left, the one before is forgotten"),
});

/** The certificate authorities that agents trust: which there are, and replacing the one that signs. */
export function authorityRoutes(tools: Tools, enrolment: Enrolment): AreaRoute[] {
  const { database, authority } = tools;
  return [
    defineRoute({
      method: "GET",
      path: "/authorities",
      summary: "The certificate authorities that agents trust, the one that signs first",
      demand,
      answer: z.object({ items: z.array(authorityItem) }),
      async run() {
        const rows = await listAuthorities(database);
        const [current] = rows;
        const before = rows.length > 1 && current ? await needing({ database, enrolment }, current) : nobody;
        const items = rows.map(({ id, state, madeAt }) => ({
          id,
          state,
          since: madeAt,
          needed: state === "current" ? nobody : before,
        }));
        return { body: { items } };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/authorities/rotate",
      summary: "Replace the agents' certificate authority; agents follow while running",
      demand: { ...demand, fresh: true },
      answer: z.object({ id: z.string(), before: z.string() }),
      async run({ caller, origin }) {
        await authority.refresh();
        const before = authority.id;
        const made = await authority.next();
        const deed = { kind: "Authority", scope: "", name: made.id, operation: "rotate", detail: { before } };
        await record(tools, { caller, origin }, deed, async (sql) => {
          if (!(await replaceAuthority(sql, before, made))) throw unfinished();
        });
        await authority.refresh();
        return { body: { id: made.id, before } };
      },
    }),
  ];
}

function unfinished(): Fault {
  return new Fault("conflict", "the last rotation of the agents' authority is not finished", {
    next: "`reeve authority list` shows who still needs the one before; what will not come back can be revoked",
  });
}
