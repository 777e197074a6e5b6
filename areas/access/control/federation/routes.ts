import { type AreaRoute, defineRoute, type Tools } from "@reeve/control";
import { z } from "zod";
import { listOfferedProviders } from "../../store/index.ts";
import { carry, pending, signedIn } from "../session-routes.ts";
import { beginSignIn } from "./begin.ts";
import { finishSignIn } from "./callback.ts";
import { openClients } from "./clients.ts";
import { redeem } from "./hand-over.ts";
import { link, showIdentities, unlink } from "./identities.ts";
import { signInPerson } from "./sign-in-person.ts";

const code = z.string().max(200);
const verifier = z.string().min(43).max(128);

/** Signing in at identity providers. */
export function federationRoutes(tools: Tools): AreaRoute[] {
  const clients = openClients(tools);
  return [
    defineRoute({
      method: "GET",
      path: "/sign-in/providers",
      summary: "The identity providers one can sign in with",
      demand: "public",
      answer: z.object({ items: z.array(z.object({ name: z.string(), displayName: z.string() })) }),
      async run() {
        const items = await listOfferedProviders(tools.database);
        return {
          body: { items: items.map(({ name, displayName }) => ({ name, displayName: displayName ?? name })) },
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/sign-in/oidc/:name",
      summary: "Send the browser to an identity provider",
      demand: "public",
      attemptsPerMinute: 60,
      query: z.strictObject({
        return: z.string().max(500).default("/").describe("A path of this server to end at."),
        challenge: z
          .string()
          .regex(/^[\w-]{43}$/, { error: "write a S256 code challenge" })
          .optional()
          .describe("End with a code for whoever knows its verifier, instead of a session for this browser."),
        port: z.coerce
          .number()
          .int()
          .min(1024)
          .max(65_535)
          .optional()
          .describe("With `challenge`: end at this port of the person's own machine."),
      }),
      status: 302,
      run: ({ params, query }) => beginSignIn(tools, clients, params.name as string, query),
    }),
    defineRoute({
      method: "GET",
      path: "/sign-in/oidc/:name/callback",
      summary: "Where an identity provider sends the browser back to",
      demand: "public",
      attemptsPerMinute: 60,
      query: z.object({}).catchall(z.union([z.string().max(4000), z.array(z.string().max(4000))])),
      status: 302,
      run: (request) => finishSignIn(tools, clients, request),
    }),
    defineRoute({
      method: "POST",
      path: "/sign-in/oidc",
      summary: "Sign in with the code that a journey with `challenge` ended with",
      demand: "public",
      attemptsPerMinute: 30,
      body: z.strictObject({ code, verifier, carry }),
      answer: z.union([signedIn, pending]),
      status: 201,
      async run({ body, origin, userAgent }) {
        const proven = await redeem(tools, body);
        return signInPerson(tools, { ...proven, origin, agent: userAgent, carry: body.carry });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/identities",
      summary: "One's own identities at providers",
      demand: "own",
      answer: z.object({ items: z.array(z.looseObject({ id: z.string(), provider: z.string() })) }),
      run: (request) => showIdentities(tools, request),
    }),
    defineRoute({
      method: "POST",
      path: "/identities",
      summary:
        "Link an identity with one's own user, with the code that a journey with `challenge` ended with",
      demand: "fresh",
      attemptsPerMinute: 30,
      body: z.strictObject({ code, verifier }),
      answer: z.object({ provider: z.string(), subject: z.string() }),
      status: 201,
      run: (request) => link(tools, request),
    }),
    defineRoute({
      method: "DELETE",
      path: "/identities/:id",
      summary: "Unlink one of one's own identities",
      demand: "fresh",
      answer: z.object({}),
      run: (request) => unlink(tools, request),
    }),
  ];
}
