import { type AreaRoute, defineRoute, type Tools } from "@reeve/control";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import {
  addPasskey,
  addTotp,
  newCodes,
  offerNewPasskey,
  offerTotp,
  removeFactor,
  showFactors,
} from "./factors.ts";
import { passkeyAnswer } from "./second-factor.ts";
import { signedIn } from "./session-routes.ts";
import { seedPattern } from "./totp.ts";

const name = z.string().trim().min(1).max(100).describe("What you call it, such as `phone`.");
const options = z.looseObject({ challenge: z.string() });

/** One's own second factors. All that changes them asks for a fresh proof of identity. */
export function factorRoutes(tools: Tools): AreaRoute[] {
  return [
    defineRoute({
      method: "GET",
      path: "/factors",
      summary: "One's own second factors, and how many recovery codes are left",
      demand: "session",
      answer: z.object({ items: z.array(z.looseObject({ id: z.string() })), recoveryCodes: z.number() }),
      run: (request) => showFactors(tools, request),
    }),
    defineRoute({
      method: "POST",
      path: "/factors/totp/seed",
      summary: "A new seed for an authenticator app, as text, link and QR code (SVG); nothing is kept",
      demand: "fresh",
      answer: z.object({ seed: z.string(), link: z.string(), qr: z.string() }),
      run: (request) => offerTotp(tools, request),
    }),
    defineRoute({
      method: "POST",
      path: "/factors/totp",
      summary:
        "Add an authenticator app, with its seed and the code it shows; the session gets another secret",
      demand: "fresh",
      body: z.strictObject({
        seed: z.string().regex(seedPattern, { error: "not a seed of 32 base32 letters" }),
        code: z.string().regex(/^\d{6}$/, { error: "a code has six digits" }),
        name,
      }),
      answer: signedIn,
      status: 201,
      run: (request) => addTotp(tools, request),
    }),
    defineRoute({
      method: "POST",
      path: "/factors/passkey/challenge",
      summary: "What a browser needs to make a passkey (WebAuthn creation options)",
      demand: "fresh",
      answer: options,
      run: (request) => offerNewPasskey(tools, request),
    }),
    defineRoute({
      method: "POST",
      path: "/factors/passkey",
      summary: "Add the passkey that a browser made; the session gets another secret",
      demand: "fresh",
      body: z.strictObject({
        name,
        passkey: passkeyAnswer as unknown as z.ZodType<RegistrationResponseJSON>,
      }),
      answer: signedIn,
      status: 201,
      run: (request) => addPasskey(tools, request),
    }),
    defineRoute({
      method: "POST",
      path: "/factors/recovery-codes",
      summary: "Ten new recovery codes in the place of the old ones, shown this once",
      demand: "fresh",
      answer: z.object({ codes: z.array(z.string()) }),
      status: 201,
      run: (request) => newCodes(tools, request),
    }),
    defineRoute({
      method: "DELETE",
      path: "/factors/:id",
      summary: "Remove one of one's own second factors; recovery codes go with the last one",
      demand: "fresh",
      answer: z.object({}),
      run: (request) => removeFactor(tools, request),
    }),
  ];
}
