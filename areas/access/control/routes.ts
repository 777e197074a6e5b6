import { type AreaRoute, defineRoute, forbidden, refusal, scopeAsked, type Tools } from "@reeve/control";
import {
  allows,
  Fault,
  type Grant,
  isName,
  nameRule,
  parseScope,
  permissionOf,
  showScope,
  verbsOf,
} from "@reeve/model";
import { z } from "zod";
import { password } from "../kinds/index.ts";
import { factorRoutes } from "./factor-routes.ts";
import { readGrants } from "./identity.ts";
import { carry, sessionRoutes, signedIn } from "./session-routes.ts";
import { setUp } from "./setup.ts";
import { who } from "./who.ts";
import { withheldGrants } from "./withheld.ts";
import { workloadRoutes } from "./workloads/routes.ts";

const name = z.string().refine(isName, { error: `not a valid name: ${nameRule}` });

export function accessRoutes(tools: Tools): AreaRoute[] {
  return [
    defineRoute({
      method: "POST",
      path: "/setup",
      summary: "Make the first administrator with the one-time setup link",
      demand: "public",
      attemptsPerMinute: 10,
      body: z.strictObject({
        token: z.string().max(200),
        user: name,
        displayName: z.string().max(200).optional(),
        password,
        organization: name.optional(),
        carry,
      }),
      answer: signedIn,
      status: 201,
      run: ({ body, origin, userAgent }) => setUp(tools, body, origin, userAgent),
    }),
    ...sessionRoutes(tools),
    ...factorRoutes(tools),
    defineRoute({
      method: "GET",
      path: "/whoami",
      summary: "Who you are and which roles you hold",
      demand: "signed-in",
      answer: z.object({
        subject: z.looseObject({}),
        via: z.looseObject({}),
        grants: z.array(z.looseObject({})),
        withheld: z
          .array(z.looseObject({}))
          .describe(
            "Roles in organizations that ask for a second factor, which this credential has not proved.",
          ),
      }),
      async run({ caller }) {
        const { subject, via, grants } = who(caller);
        return {
          body: {
            subject: { ...subject },
            via: via.kind === "session" ? { ...via, factors: [...via.factors] } : { ...via },
            grants: grants.map(shownGrant),
            withheld: (
              await withheldGrants(tools, { subject, via }, await readGrants(tools, subject.uid))
            ).map(shownGrant),
          },
        };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/can-i",
      summary: "Whether you may do something, and why",
      demand: "signed-in",
      body: z.strictObject({
        verb: z.string().max(63),
        kind: z.string().max(63),
        scope: z.string().max(200).default(""),
        name: name.optional(),
      }),
      answer: z.object({ allowed: z.boolean(), why: z.string() }),
      async run({ caller, body }) {
        const kind = tools.registry.find(body.kind) ?? tools.registry.byName(body.kind);
        if (!verbsOf(kind).includes(body.verb))
          throw new Fault("invalid", `${kind.name} has no verb ${JSON.stringify(body.verb)}`, {
            errors: [{ pointer: "/verb", message: `expected one of ${verbsOf(kind).join(", ")}` }],
            next: `its verbs are ${verbsOf(kind).join(", ")}`,
          });
        const given = parseScope(body.scope);
        const scope = kind.limitsScope ? scopeAsked(kind, body.verb, { scope: given, name: "" }) : given;
        const permission = permissionOf(kind, body.verb);
        const { grants } = who(caller);
        const at = { kind: kind.name, scope: given, name: body.name ?? "" };
        const fault =
          body.name === undefined
            ? allows(grants, permission, scope)
              ? undefined
              : forbidden(permission, scope)
            : refusal(caller, { kind, verb: body.verb, at });
        if (fault !== undefined)
          return {
            body: { allowed: false, why: `no role of yours gives ${permission} in ${showScope(scope)}` },
          };
        const grant =
          grants.find((one) => one.role.allows.has(permission) && allows([one], permission, scope)) ??
          grants[0];
        return {
          body: { allowed: true, why: `the role ${grant?.role.name} by the binding ${grant?.binding}` },
        };
      },
    }),
    ...workloadRoutes(tools),
  ];
}

function shownGrant({ scope, role, binding, group }: Grant) {
  return { scope, role: role.name, binding, ...(group === undefined ? {} : { group }) };
}
