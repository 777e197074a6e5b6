import { createHash, randomBytes } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Fault } from "@reeve/model";
import type { AgentIdentity } from "@reeve/store";
import { type Authority, identityHours } from "../../authority/authority.ts";
import { readSigningRequest } from "../../authority/signing-request.ts";

/** An identity as it is handed to an agent: a certificate, or behind a proxy a bearer token. */
export interface Issued extends AgentIdentity {
  readonly answer: {
    readonly certificate: string;
    readonly bearer: string;
    readonly authority: string;
    readonly expiresAt: ReturnType<typeof timestampFromDate>;
  };
}

/** What a request asks for: a certificate over this public key, or a bearer token. */
export type Asked = { readonly publicKey: Buffer } | "bearer";

/** Bearer tokens are only for agents behind a proxy, which has to be declared: they can be copied from the way. */
export function askedFor(signingRequest: Uint8Array, bearers: boolean): Asked {
  if (signingRequest.length > 0) return { publicKey: readSigningRequest(signingRequest) };
  if (bearers) return "bearer";
  throw new Fault("invalid", "signing_request: bearer tokens are for agents behind a declared proxy only", {
    next: "set REEVE_AGENT_PROXIES on the server to the proxy's addresses, or connect directly",
  });
}

export function issueIdentity(authority: Authority, uid: string, asked: Asked): Issued {
  const { certificates } = authority;
  if (asked !== "bearer") {
    const { certificate, hash, expiresAt } = authority.forAgent(uid, asked.publicKey);
    return {
      hash,
      expiresAt,
      authority: authority.id,
      answer: answerOf({ certificate, authority: certificates }, expiresAt),
    };
  }
  const bearer = `reeve_a_${randomBytes(32).toString("base64url")}`;
  const expiresAt = new Date(Date.now() + identityHours * 3_600_000).toISOString();
  const hash = createHash("sha256").update(bearer).digest();
  return {
    hash,
    expiresAt,
    authority: authority.id,
    answer: answerOf({ bearer, authority: certificates }, expiresAt),
  };
}

function answerOf(
  given: { certificate?: string; bearer?: string; authority: string },
  expiresAt: string,
): Issued["answer"] {
  return { certificate: "", bearer: "", ...given, expiresAt: timestampFromDate(new Date(expiresAt)) };
}
