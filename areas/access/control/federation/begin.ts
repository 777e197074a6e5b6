import { createHmac, randomBytes } from "node:crypto";
import type { RouteAnswer, Tools } from "@reeve/control";
import { invalidField } from "@reeve/model";
import { buildAuthorizationUrl, calculatePKCECodeChallenge } from "openid-client";
import { insertTicket } from "../../store/index.ts";
import { digest } from "../secrets.ts";
import type { Clients } from "./clients.ts";
import { readProvider } from "./identity-provider.ts";

/** Where a sign-in goes on when the provider has spoken. */
export interface Journey {
  /** A path of ours. */
  readonly return: string;
  /** Somebody who is not this browser, or signed in already, asks: they get a code, and redeem it with the challenge's verifier. */
  readonly challenge?: string | undefined;
  /** That somebody is a program on the person's machine, listening at this port. */
  readonly port?: number | undefined;
}

const minutes = 10;

/**
 * Sends the browser to the provider. The browser keeps the one secret: nonce and PKCE verifier derive from it, so neither the
 * address nor the database holds what is needed to finish this sign-in elsewhere.
 */
export async function beginSignIn(
  tools: Tools,
  clients: Clients,
  name: string,
  journey: Journey,
): Promise<RouteAnswer> {
  checkReturn(journey.return);
  const provider = await readProvider(tools, name);
  const client = await clients(provider);
  const state = randomBytes(32).toString("base64url");
  const browser = randomBytes(32).toString("base64url");
  const detail = {
    provider: provider.metadata.uid,
    browser: digest(browser).toString("base64url"),
    return: journey.return,
    ...(journey.challenge === undefined ? {} : { challenge: journey.challenge }),
    ...(journey.port === undefined ? {} : { port: journey.port }),
  };
  await insertTicket(tools.database, "oidc", { hash: digest(state), userUid: null, detail });
  const { nonce, verifier } = secretsOf(browser, state);
  const address = buildAuthorizationUrl(client, {
    redirect_uri: callbackUrl(tools, name),
    scope: provider.spec.scopes.join(" "),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return { redirect: address.href, attempt: { value: browser, maxAgeSeconds: minutes * 60 } };
}

export function secretsOf(browser: string, state: string): { nonce: string; verifier: string } {
  const derive = (use: string) => createHmac("sha256", browser).update(`${use} ${state}`).digest("base64url");
  return { nonce: derive("nonce"), verifier: derive("verifier") };
}

/** One for each provider: an answer of one cannot be passed off as another's. */
export function callbackUrl(tools: Tools, name: string): string {
  return new URL(`/api/v1/sign-in/oidc/${name}/callback`, tools.publicUrl()).href;
}

/** Whoever makes the link must not choose where else it leads. */
function checkReturn(path: string): void {
  const here = "http://reeve.invalid";
  const ours = /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && URL.parse(path, here)?.origin === here;
  if (!ours) throw invalidField("/return", "write a path of this server, such as /runs");
}
