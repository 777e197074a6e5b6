import { type AreaRoute, defineRoute, notFound, type Tools } from "@reeve/control";
import { allows, checkName, grantedScopes, parentScope, parseScope } from "@reeve/model";
import type { Address } from "@reeve/store";
import { z } from "zod";
import { endWorkloadToken, listWorkloadTokens, readWorkloadToken } from "../../store/index.ts";
import { openIssuerFetch } from "../issuer-fetch.ts";
import { who } from "../who.ts";
import { exchange } from "./exchange.ts";
import { openIssuerKeys } from "./issuer-keys.ts";

const listLimit = 1000;

export function workloadRoutes(tools: Tools): AreaRoute[] {
  const keysOf = openIssuerKeys(openIssuerFetch(tools));
  return [
    defineRoute({
      method: "POST",
      path: "/tokens/exchange",
      summary: "Exchange a token of a trusted issuer for a short-lived one (RFC 8693)",
      demand: "public",
      // Many jobs of one CI system come from one address.
      attemptsPerMinute: 120,
      body: z.strictObject({
        grant_type: z.literal("urn:ietf:params:oauth:grant-type:token-exchange"),
        subject_token: z.string().max(16_384),
        subject_token_type: z.enum([
          "urn:ietf:params:oauth:token-type:jwt",
          "urn:ietf:params:oauth:token-type:id_token",
        ]),
        audience: z.string().max(300).describe("The TrustedIssuer with its scope, as in acme/shop/github."),
      }),
      answer: z.object({
        access_token: z.string(),
        issued_token_type: z.string(),
        token_type: z.literal("Bearer"),
        expires_in: z.number(),
      }),
      run: ({ body, origin }) =>
        exchange(tools, keysOf, { at: trustedAt(body.audience), token: body.subject_token }, origin),
    }),
    defineRoute({
      method: "GET",
      path: "/workload-tokens",
      summary: "The living tokens of workloads, in all scopes whose tokens you may read",
      demand: "signed-in",
      answer: z.object({ items: z.array(z.looseObject({ id: z.string() })) }),
      async run({ caller }) {
        const scopes = grantedScopes(who(caller).grants, "tokens:read");
        const rows = await listWorkloadTokens(tools.database, scopes, listLimit);
        return { body: { items: rows.map((row) => ({ ...row })) } };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/workload-tokens/:id",
      summary: "End a workload's token at once",
      demand: "signed-in",
      answer: z.object({}),
      async run({ caller, params, origin }) {
        const id = params.id as string;
        const token = await readWorkloadToken(tools.database, id);
        const may = token !== undefined && allows(who(caller).grants, "tokens:delete", token.scope);
        const at = { kind: "WorkloadToken", scope: may ? token.scope : "", name: id };
        const refusal = notFound(at);
        await tools.lane.submit({
          author: { caller, origin, reason: "" },
          needs: [],
          decide: () => ({
            writes: [],
            audit: [{ ...at, operation: "delete", outcome: may ? "done" : "denied" }],
            ...(may ? { also: (sql) => endWorkloadToken(sql, id) } : { refusal }),
          }),
        });
        if (token !== undefined) tools.forget([token.accountUid]);
        return { body: {} };
      },
    }),
  ];
}

function trustedAt(text: string): Address {
  const scope = parseScope(parentScope(text));
  return { kind: "TrustedIssuer", scope, name: checkName(text.slice(scope.length + 1), "/audience") };
}
