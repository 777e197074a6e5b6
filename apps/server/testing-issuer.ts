import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";
import { onTestFinished } from "vitest";

/** An issuer as CI systems are: discovery, keys, and tokens that it signs with whatever a test wants in them. */
export interface Issuer {
  readonly url: string;
  /** The published key, as PEM would be handed out: what algorithm confusion takes for a shared secret. */
  readonly publicJwk: object;
  sign(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** Like `sign`, with a key that is not published. */
  forge(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** What it answers from now on instead of its discovery document. */
  answer: undefined | { status: number; headers?: Record<string, string>; body: string };
  /** What it answers at other paths. */
  readonly pages: Record<string, () => Promise<object>>;
  readonly asked: string[];
}

export async function testIssuer(): Promise<Issuer> {
  const [own, other] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const publicJwk = { ...(await exportJWK(own.publicKey)), kid: "one", alg: "RS256", use: "sig" };
  const server = createServer(async (request, response) => {
    issuer.asked.push(request.url ?? "");
    const page = await issuer.pages[request.url ?? ""]?.();
    if (page !== undefined)
      return response.setHeader("content-type", "application/json").end(JSON.stringify(page));
    if (request.url === "/keys") return response.end(JSON.stringify({ keys: [publicJwk] }));
    const { status, headers, body } = issuer.answer ?? {
      status: 200,
      body: JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }),
    };
    response.writeHead(status, headers).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signWith =
    (key: GenerateKeyPairResult["privateKey"]) =>
    (claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const said = { iss: url, aud: "reeve", sub: "repo:acme/shop", iat: now, exp: now + 300, ...claims };
      return new SignJWT(said).setProtectedHeader({ alg: "RS256", kid: "one", ...header }).sign(key);
    };
  const issuer: Issuer = {
    url,
    publicJwk,
    sign: signWith(own.privateKey),
    forge: signWith(other.privateKey),
    answer: undefined,
    pages: {},
    asked: [],
  };
  return issuer;
}
