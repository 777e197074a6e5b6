import type { Tools } from "@reeve/control";
import { Fault } from "@reeve/model";
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from "openid-client";
import { openIssuerFetch } from "../issuer-fetch.ts";
import { clientSecret, type Provider } from "./identity-provider.ts";

const rememberMs = 600_000;

/** What is needed to speak with a provider: found by discovery, remembered until the provider changes, at most ten minutes. */
export type Clients = (provider: Provider) => Promise<Configuration>;

export function openClients(tools: Tools): Clients {
  const remembered = new Map<string, { version: string; client: Promise<Configuration>; until: number }>();
  const fetch = openIssuerFetch(tools);

  async function discover({ metadata, spec }: Provider): Promise<Configuration> {
    const secret = await clientSecret(tools, metadata.uid);
    const authentication = secret === undefined ? None() : withSecret(secret);
    // Which hosts may be asked without TLS, the fetch decides.
    const plain = spec.issuer.startsWith("http:") ? [allowInsecureRequests] : [];
    return discovery(new URL(spec.issuer), spec.clientId, undefined, authentication, {
      [customFetch]: fetch as never,
      execute: [enableNonRepudiationChecks, ...plain],
    });
  }

  return async (provider) => {
    const { uid, name, generation } = provider.metadata;
    const version = `${generation} ${String(provider.status.secretSetAt)}`;
    const known = remembered.get(uid);
    if (known?.version === version && known.until > performance.now()) return known.client;
    const client = discover(provider);
    remembered.set(uid, { version, client, until: performance.now() + rememberMs });
    try {
      return await client;
    } catch (error) {
      remembered.delete(uid);
      if (error instanceof Fault) throw error;
      throw unreachable(name, error);
    }
  };
}

export function unreachable(name: string, cause: unknown): Fault {
  return new Fault("unavailable", `the identity provider ${name} cannot be reached`, {
    next: "try again, or sign in another way; an owner can check that the server reaches the issuer",
    retryAfterMs: 5000,
    cause,
  });
}

/** In the header, as the standard has it, unless the provider says that it only takes the secret in the body. */
function withSecret(secret: string): ClientAuth {
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const basic = methods === undefined || methods.includes("client_secret_basic");
    (basic ? ClientSecretBasic(secret) : ClientSecretPost(secret))(server, client, body, headers);
  };
}
