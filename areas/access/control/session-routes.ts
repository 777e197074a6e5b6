import { type AreaRoute, defineRoute, type Tools } from "@reeve/control";
import { z } from "zod";
import { listSessions } from "../store/index.ts";
import { confirm } from "./confirm.ts";
import { deviceName } from "./device-name.ts";
import { endOtherSessions, endSession } from "./end-sessions.ts";
import { askForPasskey } from "./passkeys.ts";
import { finishSignIn, signInChallenge } from "./pending.ts";
import { codeText, passkeyAnswer } from "./second-factor.ts";
import { signIn, signInByPasskey } from "./sign-in.ts";
import { who } from "./who.ts";

export const carry = z.enum(["cookie", "bearer"]).default("bearer");
export const signedIn = z.object({ user: z.string(), expiresAt: z.string(), token: z.string().optional() });
export const pending = z.object({
  user: z.string(),
  expiresAt: z.string(),
  pending: z
    .string()
    .describe("Who has a second factor gets this instead of a session, for the second step."),
  second: z.array(z.string()),
});
const options = z.looseObject({ challenge: z.string() });
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
      answer: z.union([signedIn, pending]),
      status: 201,
      run: ({ body, origin, userAgent }) => signIn(tools, body, origin, userAgent),
    }),
    defineRoute({
      method: "POST",
      path: "/sessions/second-step",
      summary: "Finish a sign-in with a code, a recovery code or a passkey",
      demand: "public",
      attemptsPerMinute: 10,
      body: z.strictObject({
        pending: z.string().max(200),
        code: codeText.optional(),
        passkey: passkeyAnswer.optional(),
      }),
      answer: signedIn,
      status: 201,
      run: ({ body, origin, userAgent }) => finishSignIn(tools, body, origin, userAgent),
    }),
    defineRoute({
      method: "POST",
      path: "/sessions/challenge",
      summary:
        "What a browser needs to sign in with a passkey, alone or as the second step (WebAuthn request options)",
      demand: "public",
      attemptsPerMinute: 30,
      body: z.strictObject({ pending: z.string().max(200).optional() }),
      answer: options,
      run: ({ body }) => signInChallenge(tools, body.pending),
    }),
    defineRoute({
      method: "POST",
      path: "/sessions/passkey",
      summary: "Sign in with a passkey alone",
      demand: "public",
      attemptsPerMinute: 10,
      body: z.strictObject({ passkey: passkeyAnswer, carry }),
      answer: signedIn,
      status: 201,
      run: ({ body, origin, userAgent }) => signInByPasskey(tools, body, origin, userAgent),
    }),
    defineRoute({
      method: "POST",
      path: "/sessions/current/confirm",
      summary: "Prove anew who you are, for what is sensitive; the session gets another secret",
      demand: "session",
      attemptsPerMinute: 10,
      body: z.strictObject({
        password: z.string().max(1024).optional().describe("For who has no second factor."),
        code: codeText.optional(),
        passkey: passkeyAnswer.optional(),
      }),
      answer: signedIn,
      run: (request) => confirm(tools, request),
    }),
    defineRoute({
      method: "POST",
      path: "/sessions/current/challenge",
      summary: "What a browser needs to prove anew with a passkey (WebAuthn request options)",
      demand: "session",
      answer: options,
      run: async ({ caller }) => ({ body: await askForPasskey(tools, who(caller).subject.uid) }),
    }),
    defineRoute({
      method: "GET",
      path: "/sessions",
      summary: "One's own sessions",
      demand: "own",
      answer: z.object({ items: z.array(z.looseObject({ id: z.string(), current: z.boolean() })) }),
      async run({ caller }) {
        const { subject, via } = who(caller);
        const rows = await listSessions(tools.database, subject.uid);
        return {
          body: {
            items: rows.map((row) => ({
              ...row,
              factors: [...row.factors],
              device: deviceName(row.agent),
              current: row.id === via.id,
            })),
          },
        };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/sessions",
      summary: "End all of one's own sessions but this one",
      demand: "own",
      answer: ended,
      run: (request) => endOtherSessions(tools, request),
    }),
    defineRoute({
      method: "DELETE",
      path: "/sessions/:id",
      summary: "End one of one's own sessions; `current` is this one",
      demand: "own",
      answer: ended,
      run: (request) => endSession(tools, request),
    }),
  ];
}
