import { type AreaRoute, defineRoute, forbidden, notFound, refusal, type Tools } from "@reeve/control";
import { allows, Fault, isName, nameRule, parseScope, permissionOf, showScope, verbsOf } from "@reeve/model";
import { z } from "zod";
import { password } from "../kinds/index.ts";
import { endSessions, listSessions } from "../store/index.ts";
import { setUp } from "./setup.ts";
import { signIn } from "./sign-in.ts";

const name = z.string().refine(isName, { error: `not a valid name: ${nameRule}` });
const carry = z.enum(["cookie", "bearer"]).default("bearer");
const signedIn = z.object({ user: z.string(), expiresAt: z.string(), token: z.string().optional() });

export function accessRoutes(tools: Tools, forget: () => void): AreaRoute[] {
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
    defineRoute({
      method: "POST",
      path: "/sessions",
      summary: "Sign in",
      demand: "public",
      attemptsPerMinute: 10,
      body: z.strictObject({ user: z.string().max(63), password: z.string().max(1024), carry }),
      answer: signedIn,
      status: 201,
      run: ({ body, origin, userAgent }) => signIn(tools, body, origin, userAgent),
    }),
    defineRoute({
      method: "GET",
      path: "/sessions",
      summary: "One's own sessions",
      demand: "signed-in",
      answer: z.object({ items: z.array(z.looseObject({ id: z.string(), current: z.boolean() })) }),
      async run({ caller }) {
        const rows = await listSessions(tools.database, who(caller).subject.uid);
        return { body: { items: rows.map((row) => ({ ...row, current: row.id === caller?.via.id })) } };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/sessions/:id",
      summary: "End one of one's own sessions; `current` is this one",
      demand: "signed-in",
      answer: z.object({ ended: z.number() }),
      async run({ caller, params, origin }) {
        const { subject, via } = who(caller);
        const id = params.id === "current" ? via.id : (params.id as string);
        const at = { kind: "Session", scope: "", name: id };
        const own = await listSessions(tools.database, subject.uid);
        if (!own.some((session) => session.id === id)) {
          const refusal = notFound(at);
          await tools.lane.submit({
            author: { caller, origin, reason: "" },
            needs: [],
            decide: () => ({
              writes: [],
              audit: [{ ...at, operation: "sign-out", outcome: "denied" }],
              refusal,
            }),
          });
        }
        let ended = 0;
        await tools.lane.submit({
          author: { caller, origin, reason: "" },
          needs: [],
          decide: () => ({
            writes: [],
            audit: [{ ...at, operation: "sign-out", outcome: "done" }],
            also: async (sql) => {
              ended = await endSessions(sql, subject.uid, { id });
              if (ended === 0) throw notFound(at);
            },
          }),
        });
        forget();
        return { body: { ended }, ...(id === via.id ? { cookie: { value: "", maxAgeSeconds: 0 } } : {}) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/whoami",
      summary: "Who you are and which roles you hold",
      demand: "signed-in",
      answer: z.object({
        subject: z.looseObject({}),
        via: z.looseObject({}),
        grants: z.array(z.looseObject({})),
      }),
      async run({ caller }) {
        const { subject, via, grants } = who(caller);
        return {
          body: {
            subject: { ...subject },
            via: { ...via },
            grants: grants.map(({ scope, role, binding }) => ({ scope, role: role.name, binding })),
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
        const scope = parseScope(body.scope);
        const permission = permissionOf(kind, body.verb);
        const { grants } = who(caller);
        const at = { kind: kind.name, scope, name: body.name ?? "" };
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
  ];
}

function who(caller: Parameters<AreaRoute["run"]>[0]["caller"]) {
  if (caller === undefined)
    throw new Fault("internal", "a route for signed-in callers was reached without one");
  return caller;
}
