import { type AreaRoute, defineRoute, type Tools } from "@reeve/control";
import { z } from "zod";
import { listSessions } from "../store/index.ts";
import { confirm } from "./confirm.ts";
import { endOtherSessions, endSession } from "./end-sessions.ts";
import { signIn } from "./sign-in.ts";
import { who } from "./who.ts";

export const carry = z.enum(["cookie", "bearer"]).default("bearer");
export const signedIn = z.object({ user: z.string(), expiresAt: z.string(), token: z.string().optional() });
const ended = z.object({ ended: z.number() });

/** Signing in and out, and what one has open. */
export function sessionRoutes(tools: Tools): AreaRoute[] {
  return [
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
      method: "POST",
      path: "/sessions/current/confirm",
      summary: "Prove anew who you are, for what is sensitive; the session gets another secret",
      demand: "session",
      attemptsPerMinute: 10,
      body: z.strictObject({ password: z.string().max(1024) }),
      answer: signedIn,
      run: (request) => confirm(tools, request),
    }),
    defineRoute({
      method: "GET",
      path: "/sessions",
      summary: "One's own sessions",
      demand: "signed-in",
      answer: z.object({ items: z.array(z.looseObject({ id: z.string(), current: z.boolean() })) }),
      async run({ caller }) {
        const { subject, via } = who(caller);
        const rows = await listSessions(tools.database, subject.uid);
        return {
          body: {
            items: rows.map((row) => ({ ...row, factors: [...row.factors], current: row.id === via.id })),
          },
        };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/sessions",
      summary: "End all of one's own sessions but this one",
      demand: "signed-in",
      answer: ended,
      run: (request) => endOtherSessions(tools, request),
    }),
    defineRoute({
      method: "DELETE",
      path: "/sessions/:id",
      summary: "End one of one's own sessions; `current` is this one",
      demand: "signed-in",
      answer: ended,
      run: (request) => endSession(tools, request),
    }),
  ];
}
