import { timestampDate } from "@bufbuild/protobuf/wkt";
import { readJoinToken } from "@reeve/model/join-token";
import type { HostFacts } from "@reeve/protocol/agent";
import { openConnection } from "./connection.ts";
import { halfLife, type Identity } from "./identity.ts";
import { newSigningRequest } from "./signing-request.ts";
import { dialAs, dialPinned, hasPin, proxyTls } from "./trust.ts";

export interface EnrolOptions {
  readonly urls: readonly string[];
  readonly token: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: HostFacts;
  /** A proxy ends TLS: it is believed by the system's authorities, or this one, and the agent shows a bearer token. */
  readonly bearer?: { readonly ca?: string };
}

const callMs = 30_000;

/** Joins: gives a token away, once, to nobody but the authority it names, and gets an identity for it. */
export async function enrol({ urls, token, name, labels, facts, bearer }: EnrolOptions): Promise<Identity> {
  const [url] = urls;
  const read = readJoinToken(token);
  if (url === undefined) throw new Error("an agent joins by the address of the agents' port");
  if (read === undefined)
    throw new Error("this is not a join token; `reeve agent token` makes one, and it begins with rjt_");
  for (const one of urls) checkUrl(one);
  const request = bearer === undefined ? newSigningRequest() : undefined;
  const connection = openConnection(
    bearer === undefined ? dialPinned(url, read.pin) : { url, tls: proxyTls(bearer) },
  );
  try {
    const answer = await connection.client.enrol(
      { token, facts, name, labels: { ...labels }, signingRequest: request?.der ?? new Uint8Array() },
      { timeoutMs: callMs },
    );
    if (request !== undefined && !hasPin(answer.authority, read.pin))
      throw new Error("the server sent another certificate authority than the join token names");
    const proof: Identity["proof"] =
      request === undefined
        ? { by: "bearer", bearer: answer.bearer, ...bearer }
        : {
            by: "certificate",
            certificate: answer.certificate,
            key: request.key,
            authority: answer.authority,
          };
    return {
      uid: answer.hostUid,
      scope: answer.scope,
      name: answer.name,
      urls,
      proof,
      generation: answer.identityGeneration,
      ...halfLife(expiryOf(answer)),
    };
  } finally {
    connection.close();
  }
}

/** A new certificate (with a new key) or bearer token for the present one. */
export async function renew(identity: Identity, url: string): Promise<Identity> {
  const { proof } = identity;
  const request = proof.by === "certificate" ? newSigningRequest() : undefined;
  const connection = openConnection(dialAs(identity, url));
  try {
    const answer = await connection.client.renew(
      { signingRequest: request?.der ?? new Uint8Array(), identityGeneration: identity.generation },
      { timeoutMs: callMs },
    );
    const next: Identity["proof"] =
      proof.by === "bearer" || request === undefined
        ? { ...proof, bearer: answer.bearer, by: "bearer" }
        : {
            by: "certificate",
            certificate: answer.certificate,
            key: request.key,
            authority: answer.authority || proof.authority,
          };
    return { ...identity, proof: next, generation: answer.identityGeneration, ...halfLife(expiryOf(answer)) };
  } finally {
    connection.close();
  }
}

function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:")
    throw new Error(
      `${text} is not an address of the agents' port; write it as https://reeve.example.com:8090`,
    );
}

function expiryOf({ expiresAt }: { expiresAt?: Parameters<typeof timestampDate>[0] | undefined }): Date {
  if (expiresAt === undefined) throw new Error("the server did not say how long the identity is good for");
  return timestampDate(expiresAt);
}
