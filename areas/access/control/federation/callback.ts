import { randomBytes, timingSafeEqual } from "node:crypto";
import type { RouteAnswer, RouteRequest, Tools } from "@reeve/control";
import { Fault } from "@reeve/model";
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  type Configuration,
  fetchUserInfo,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { findTicket, insertTicket, useTicket } from "../../store/index.ts";
import { digest } from "../secrets.ts";
import { callbackUrl, type Journey, secretsOf } from "./begin.ts";
import { type Clients, unreachable } from "./clients.ts";
import { denyPerson } from "./deny-person.ts";
import { type Provider, readProvider } from "./identity-provider.ts";
import { type Proof, readProof } from "./proof.ts";
import { signInPerson } from "./sign-in-person.ts";

type Query = Readonly<Record<string, string | string[]>>;
type Request = Pick<RouteRequest<unknown, Query>, "params" | "query" | "attempt" | "origin" | "userAgent">;

const over = { attempt: { value: "", maxAgeSeconds: 0 } };

/** The browser comes back from the provider: only the one that was sent there, once, with what that provider said for it. */
export async function finishSignIn(tools: Tools, clients: Clients, request: Request): Promise<RouteAnswer> {
  const { origin, userAgent } = request;
  const provider = await readProvider(tools, request.params.name as string);
  const { journey, state } = await resume(tools, provider, request);
  const client = await clients(provider);
  const proof = await ask(tools, { provider, client, state }, request);
  if (journey.challenge !== undefined)
    return { ...over, redirect: await handOver(tools, { ...journey, challenge: journey.challenge }, proof) };
  const answer = await signInPerson(tools, { provider, proof, origin, agent: userAgent, carry: "cookie" });
  return { ...answer, ...over, redirect: whereTo(answer, journey.return) };
}

/** The journey that this browser began with this provider. It is used up, however it ends. */
async function resume(tools: Tools, provider: Provider, { query, attempt = "", origin }: Request) {
  const state = typeof query.state === "string" ? query.state : "";
  const ticket = await findTicket(tools.database, "oidc", digest(state));
  const journey = ticket?.detail as (Journey & { provider: string; browser: string }) | undefined;
  const begun =
    journey?.provider === provider.metadata.uid &&
    timingSafeEqual(digest(attempt), Buffer.from(journey.browser, "base64url"));
  if (ticket === undefined || !begun || !(await useTicket(tools.database, ticket)))
    return denyPerson(
      tools,
      { provider: provider.metadata.name, why: "the browser did not begin it", origin },
      new Fault(
        "unauthenticated",
        "this sign-in was not begun in this browser, is over, or took longer than ten minutes",
        { next: "sign in again" },
      ),
    );
  return { journey, state };
}

/** Redeems the code and reads what the provider says. */
async function ask(
  tools: Tools,
  { provider, client, state }: { provider: Provider; client: Configuration; state: string },
  { query, attempt = "", origin }: Request,
): Promise<Proof> {
  const { name } = provider.metadata;
  const address = new URL(callbackUrl(tools, name));
  for (const [key, value] of Object.entries(query))
    for (const one of [value].flat()) address.searchParams.append(key, one);
  const { nonce, verifier } = secretsOf(attempt, state);
  try {
    const tokens = await authorizationCodeGrant(client, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const signed = tokens.claims() ?? { sub: "" };
    const asks = client.serverMetadata().userinfo_endpoint !== undefined;
    const more = asks ? await fetchUserInfo(client, tokens.access_token, signed.sub) : {};
    return readProof(provider, signed, more);
  } catch (error) {
    if (error instanceof TypeError) throw unreachable(name, error);
    return denyPerson(tools, { provider: name, why: reasonOf(error), origin }, refusalOf(error, name));
  }
}

/** The words of an error, never its parts: those may hold tokens. */
function reasonOf(error: unknown): string {
  if (error instanceof WWWAuthenticateChallengeError) return "the provider does not accept our client secret";
  const { code = "", error: said = "", message } = error as Error & { code?: string; error?: string };
  return [code, said, message].filter(Boolean).join(": ").slice(0, 300);
}

function refusalOf(error: unknown, name: string): Fault {
  const said = error instanceof AuthorizationResponseError && /^[\w.-]{1,100}$/.test(error.error);
  return new Fault(
    "unauthenticated",
    said
      ? `the identity provider ${name} did not let you in: ${error.error}`
      : `what the identity provider ${name} answered does not prove who you are`,
    { next: "sign in again; if it stays so, an owner sees the reason in the audit log" },
  );
}

/** A code for whoever knows the verifier of the challenge; to a page in the part of the address that is sent to no server. */
async function handOver(
  tools: Tools,
  { challenge, port, return: path }: Journey & { challenge: string },
  proof: Proof,
): Promise<string> {
  const code = randomBytes(32).toString("base64url");
  const detail = { challenge, proof };
  await insertTicket(tools.database, "handover", { hash: digest(code), userUid: null, detail });
  return port === undefined ? `${path}#code=${code}` : `http://127.0.0.1:${port}/?code=${code}`;
}

/** Who has a second factor and has not used it goes on with it on the sign-in page. */
function whereTo({ body }: RouteAnswer, path: string): string {
  const { pending } = (body ?? {}) as { pending?: string };
  if (pending === undefined) return path;
  return `/sign-in#${new URLSearchParams({ pending, return: path })}`;
}
