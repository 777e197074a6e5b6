import { Fault } from "@reeve/model";
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import type { IssuerFetch } from "../issuer-fetch.ts";

const rememberMs = 600_000;
const rememberMost = 1000;
const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });

/** The keys that an issuer publishes, found by discovery. Only from there: what a token itself says of keys is not looked at. */
export type IssuerKeys = (issuer: string) => Promise<JWTVerifyGetKey>;

export function openIssuerKeys(fetch: IssuerFetch): IssuerKeys {
  const remembered = new Map<string, { keys: Promise<JWTVerifyGetKey>; until: number }>();

  async function discover(issuer: string): Promise<JWTVerifyGetKey> {
    const answer = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const found = metadata.parse(await answer.json());
    if (found.issuer !== issuer) throw new Error(`it calls itself ${found.issuer}`);
    const keys = createRemoteJWKSet(new URL(found.jwks_uri), { [customFetch]: fetch });
    return async (header, token) => {
      try {
        return await keys(header, token);
      } catch (error) {
        if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
          throw error;
        // Where the keys are may have changed as well.
        remembered.delete(issuer);
        throw unreachable(issuer, error);
      }
    };
  }

  return async (issuer) => {
    const known = remembered.get(issuer);
    if (known !== undefined && known.until > performance.now()) return known.keys;
    if (remembered.size >= rememberMost) remembered.clear();
    const keys = discover(issuer);
    remembered.set(issuer, { keys, until: performance.now() + rememberMs });
    try {
      return await keys;
    } catch (error) {
      remembered.delete(issuer);
      throw unreachable(issuer, error);
    }
  };
}

function unreachable(issuer: string, cause: unknown): Fault {
  return new Fault("unavailable", `the keys of the issuer ${issuer} cannot be read`, {
    next: "try again; if it stays so, check that the server reaches the issuer's /.well-known/openid-configuration",
    retryAfterMs: 5000,
    cause,
  });
}
