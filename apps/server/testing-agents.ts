import { randomUUID } from "node:crypto";
import type { SecureClientSessionOptions } from "node:http2";
import { type Client, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { testSigningRequest } from "@reeve/control/testing";
import { AgentService, type EnrolResponse } from "@reeve/protocol";
import { onTestFinished } from "vitest";
import type { TestServer } from "./testing.ts";

export type AgentClient = Client<typeof AgentService>;

export interface TestIdentity {
  readonly key: string;
  readonly answer: EnrolResponse;
}

/** The address of a server's agents' port. */
export async function agentsAddress({ database }: Pick<TestServer, "database">): Promise<string> {
  const [row] = await database.query<{ address: string }>(
    "select peer_address as address from replica limit 1",
  );
  return row?.address ?? "";
}

/** Calls the agents' port over TLS, with or without a certificate. */
export function agentClient(
  address: string,
  tls: SecureClientSessionOptions = {},
  bearer?: string,
): AgentClient {
  const url = address.includes("://") ? address : `https://${address}`;
  const sessionManager = new Http2SessionManager(url, {}, { rejectUnauthorized: false, ...tls });
  onTestFinished(() => sessionManager.abort());
  return createClient(
    AgentService,
    createConnectTransport({
      baseUrl: url,
      httpVersion: "2",
      sessionManager,
      useBinaryFormat: true,
      interceptors: bearer
        ? [
            (next) => (request) => {
              request.header.set("authorization", `Bearer ${bearer}`);
              return next(request);
            },
          ]
        : [],
    }),
  );
}

export function clientOf(address: string, { key, answer }: TestIdentity): AgentClient {
  return agentClient(address, { key, cert: answer.certificate });
}

/** A join token's text, made as a person would. */
export async function joinToken(
  server: TestServer,
  spec: object = {},
  scope = "",
): Promise<{ name: string; text: string }> {
  const name = `t-${randomUUID().slice(0, 8)}`;
  const [organization, project] = scope.split("/");
  const place = [
    organization ? `/organizations/${organization}` : "",
    project ? `/projects/${project}` : "",
  ].join("");
  const made = await server.call("POST", `${place}/jointokens`, {
    body: { apiVersion: "reeve/v1", kind: "JoinToken", metadata: { scope, name }, spec },
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const issued = await server.call("POST", `${place}/jointokens/${name}/actions/issue`, { body: {} });
  if (issued.status !== 200) throw new Error(JSON.stringify(issued.body));
  return { name, text: issued.body.output?.token ?? issued.body.token };
}

export async function join(address: string, token: string, name: string): Promise<TestIdentity> {
  const { key, request } = testSigningRequest();
  const answer = await agentClient(address).enrol({
    token,
    name,
    signingRequest: request,
    facts: { os: "linux", arch: "x64", hostname: name, agentVersion: "test", executors: ["noop"] },
  });
  return { key, answer };
}

/** The code of a refusal. */
export async function refusalOf(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error === undefined) throw new Error("it was not refused");
  return ConnectError.from(error);
}
