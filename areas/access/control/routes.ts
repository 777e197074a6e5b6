import { type AreaRoute, type Context, defineRoute } from "@reeve/control";
import { type Grant, isName, type JsonObject, nameRule, narrowGrants, narrowingOf } from "@reeve/model";
import { z } from "zod";
import { password, subjectRef } from "../kinds/index.ts";
import { accept } from "./accept.ts";
import { explain, judgeMany } from "./explain.ts";
import { factorRoutes } from "./factor-routes.ts";
import { federationRoutes } from "./federation/routes.ts";
import { readGrants } from "./identity.ts";
import { recover } from "./recovery.ts";
import { carry, sessionRoutes, signedIn } from "./session-routes.ts";
import { setUp } from "./setup.ts";
import { who } from "./who.ts";
import { withheldGrants } from "./withheld.ts";
import { workloadRoutes } from "./workloads/routes.ts";

const name = z.string().refine(isName, { error: `not a valid name: ${nameRule}` });

const question = z.strictObject({
  verb: z.string().max(63),
  kind: z.string().max(63),
  scope: z.string().max(200).default(""),
  name: name.optional(),
});

const explanation = z.object({
  subject: z.string(),
  allowed: z.boolean(),
  permission: z.string(),
  scope: z.string(),
  why: z.string(),
  chain: z.array(z.looseObject({ scope: z.string(), role: z.string(), binding: z.string() })),
  wouldGive: z.array(z.string()),
});

export function accessRoutes(context: Context): AreaRoute[] {
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
      run: ({ body, origin, userAgent }) => setUp(context, body, origin, userAgent),
    }),
    ...sessionRoutes(context),
    ...factorRoutes(context),
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
        const own = await readGrants(context, subject.uid);
        const withheld = await withheldGrants(context, { subject, via }, own);
        return {
          body: {
            subject: { ...subject },
            via: { ...via } as unknown as JsonObject,
            grants: grants.map(shownGrant),
            withheld: narrowGrants(withheld, narrowingOf({ via }) ?? {}).map(shownGrant),
          },
        };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/can-i",
      summary: "Whether you, or another, may do something; by which bindings, or which roles would let them",
      demand: "signed-in",
      body: question.extend({
        as: subjectRef.optional().describe("Ask for this subject; takes the permission access:explain."),
      }),
      answer: explanation,
      run: async ({ caller, origin, body }) => ({
        body: await explain(context, { caller: who(caller), origin }, body),
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/can-i/many",
      summary: "Whether you may do each of many things; short answers, in the order of the questions",
      demand: "signed-in",
      body: z.strictObject({ questions: z.array(question).min(1).max(500) }),
      answer: z.object({
        items: z.array(explanation.pick({ allowed: true, permission: true, scope: true })),
      }),
      run: async ({ caller, body }) => ({
        body: { items: await judgeMany(context, who(caller), body.questions) },
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/invitations/accept",
      summary:
        "Accept an invitation: makes a user with its address, or gives the role to the signed-in one who has it",
      demand: "public",
      attemptsPerMinute: 10,
      body: z.strictObject({
        token: z.string().max(200),
        user: name.optional(),
        displayName: z.string().max(200).optional(),
        password: password.optional(),
      }),
      answer: z.object({ user: z.string(), created: z.boolean(), scope: z.string(), role: z.string() }),
      status: 201,
      run: async ({ caller, origin, body }) => ({ body: await accept(context, body, { caller, origin }) }),
    }),
    defineRoute({
      method: "POST",
      path: "/recover",
      summary: "Set a new password with the one-time link that a command on the server's machine printed",
      demand: "public",
      attemptsPerMinute: 10,
      body: z.strictObject({ token: z.string().max(200), password }),
      answer: z.object({ user: z.string(), factorsRemoved: z.number(), sessionsEnded: z.number() }),
      run: ({ body, origin }) => recover(context, body, origin),
    }),
    ...workloadRoutes(context),
    ...federationRoutes(context),
  ];
}

function shownGrant({ scope, role, binding, group }: Grant) {
  return { scope, role: role.name, binding, ...(group === undefined ? {} : { group }) };
}
